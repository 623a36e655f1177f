// SPDX-License-Identifier: Apache-2.0
// Lab: simulated machines with their cards, cables and boots. It imitates real ones by documented
// facts (docs/evidence.md), not by what our providers send: a machine does whatever line comes as
// its system would, and an unknown command is answered as the system answers it. The platforms make
// the machines (platforms.hpp). No I/O, no real time: the doors (lab/runner in virtual time,
// labserver over SSH) drive it with the time they have.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/diagnostic.hpp"
#include "engine/lab/lab_spec.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/lab/wire/world.hpp"
#include "engine/model/spec.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::lab {

// What happens to one exec, besides its output.
enum class Delivery : std::uint8_t {
  normal,
  lost_command,  // the connection drops before anything ran
  lost_reply,    // it ran, then the connection drops
  stall          // it ran or not, and nothing ever comes back
};

// The commands of one session at a machine.
struct CommandLine {
  std::string line, input;
};
// At a session that Lab::open_prompt() has opened.
struct TypedKeys {
  std::uint64_t session = 0;
  std::string keys;
};
// A cluster manager reboots it.
struct RebootOrder {};
using Work = std::variant<CommandLine, remote::step::Converse, TypedKeys, RebootOrder>;

struct ExecResult {
  Delivery delivery = Delivery::normal;
  int exit_status = 0;
  std::string standard_output;
  std::string standard_error;
  Duration took{0};
  // The host went down while the command ran (reboot): the connection drops.
  bool host_down = false;
  std::uint64_t number = 0;              // of the command, from 1
  std::vector<remote::Reply> replies{};  // of lines at a prompt
  // The machine can't do that at all: it has no prompt.
  std::optional<Error> not_run{};
};

enum class Power : std::uint8_t { up, going_down, down, booting, dead };

struct LateChange {
  NodeName node;
  Work work;
};

// Counted by the lab itself, whatever fabric believes.
struct Monitor {
  std::uint32_t reboots = 0;  // of all hosts
  std::map<std::string, std::uint32_t> reboots_by_node;
  std::uint32_t most_down_at_once = 0;
  // Pairs of ring neighbours that were down at the same time, "pve1 pve2", each once: one was told
  // to reboot while the other was down for any reason.
  std::vector<std::string> neighbours_down_together;
  // What was sent before the host's network was rolled back, and has changed it afterwards.
  std::vector<LateChange> late_changes;
};

// Something happened on a host: its power changed, a fault struck, or a command changed something.
struct HostEvent {
  TimePoint at;
  NodeName node;
  Power power = Power::up;    // from now on
  Fault fault = Fault::none;  // that struck a command just now
  bool changed = false;       // by a command just now
};

// How the document says to log in.
struct Login {
  std::string user = "root";
  bool sudo = false;  // become: sudo
};

class Lab {
 public:
  // One machine per node of the document whose platform has a maker (LabSpec::makers),
  // cards as the document names them, factory settings except where `lab` says otherwise. Any other
  // node is only a name at the end of its cables. Everything random comes from lab.seed.
  Lab(const FabricSpec& fabric, const LabSpec& lab);
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  // Lets time pass: boots proceed, timers fire. `now` never goes back.
  void advance(TimePoint now);
  // The next instant at which something happens by itself, if any.
  std::optional<TimePoint> next_event() const;

  // Does the host accept a connection now? (down, booting, refused, dead: no)
  bool accepts_connections(const NodeName& node) const;
  // No login works, and a command over an open session arrives when the change is rolled back.
  bool keeps_sessions(const NodeName& node) const;
  // Its network is up, no login works, and no timer on it would roll the change back.
  bool stays_cut_off(const NodeName& node) const;
  Power power(const NodeName& node) const;
  Login login(const NodeName& node) const;
  // Runs a shell line as `user` ("root", or another for whom sudo -n works) with `input`.
  ExecResult exec(
      const NodeName& node, std::string_view user, std::string_view line, std::string_view input);

  // The same for lines at a prompt and all else.
  ExecResult perform(const NodeName& node, std::string_view user, const Work& work);

  bool has_prompt(const NodeName& node) const;
  // A session at the machine's prompt, and what it shows first; 0: it has none, or accepts no
  // connection. It ends when the machine goes down. TypedKeys are work like any other.
  std::uint64_t open_prompt(const NodeName& node, std::string_view user, ExecResult& greeting);
  // Logged out, cut off or never there.
  bool prompt_ended(std::uint64_t session) const;
  void close_prompt(std::uint64_t session);
  // True if the command waits for its input, so that an empty input was not typed by hand.
  bool reads_input(const NodeName& node, std::string_view line) const;

  // The present state of the host by the work, or `line`, for a person who stands before it: no
  // fault meets it and no time passes. REQUIRES: the host is up, and it changes nothing.
  ExecResult look(const NodeName& node, const Work& work);
  ExecResult look(const NodeName& node, std::string_view line, std::string_view input);

  // An act of a person who stands before the host: no fault meets it and no time passes. REQUIRES:
  // the host is up.
  void change(const NodeName& node, std::string_view line, std::string_view input);

  // Results of commands that have begun earlier and are not due yet: the person has come whom they
  // waited for, and they end sooner, `took` from now. By ExecResult::number; each is told once.
  std::vector<ExecResult> take_amended();

  // lab fault NODE FAULT, lab recable A B, and so on. Fail with ErrorCode::not_found or invalid.
  // lost_reply, lost_command and power_loss meet the next command that changes something on the
  // host, once; stall, refused, disk_full, lying_exit, slow_boot and no_boot last until `none`,
  // which also switches a dead host on again.
  // `only`: it meets no command but those whose line contains this.
  Result<void> set_fault(const NodeName& node, Fault fault, std::string only = {});
  // The fault that is still to come or lasts; none for an unknown node.
  Fault fault(const NodeName& node) const;
  Result<void> recable(std::string_view a, std::string_view b);
  // The nodes of the document that are new, with their cables; all other nodes stay as they are.
  // Returns those that have a machine.
  std::vector<NodeName> add_nodes(const FabricSpec& fabric, const LabSpec& lab);
  // Takes the cable out at both its ends, or at this one alone.
  Result<void> unplug(std::string_view port, bool one_end = false);
  // Another card of the same model as it comes from its maker, in the same slot and with the same
  // cables; the host loses its power for it. `adapter`: "" where it has one card.
  Result<void> swap_card(const NodeName& node, std::string_view adapter);
  // The power of a host that is up fails now, and comes back: it boots.
  void cut_power(const NodeName& node);
  // Of all commands from now on; LabSpec::fault_percent until then.
  void set_fault_percent(std::uint32_t percent);

  // Hears of everything that happens from now on, in order of time; it may ask the lab, and must
  // not change it.
  void watch(std::function<void(const HostEvent&)> watcher);
  // Does a subnet manager run in the InfiniBand subnet that the port has a link to?
  bool is_managed(const PortRef& port) const;
  // Has the port a link, and does its card hand on to its other port what comes in there?
  bool forwards(const PortRef& port) const;

  // Bytes of the longest IP packet that a host is told to send by the port, or that a port of a
  // switch lets through. nullopt: it has no link, or lets none through.
  std::optional<std::uint32_t> mtu(const PortRef& port) const;
  // The same of the IPoIB group of the default partition, where the port is; nullopt: there is
  // none.
  std::optional<std::uint32_t> group_mtu(const PortRef& port) const;

  const Monitor& monitor() const;
  // Of everything that persists or runs on a host except time, counters and logs.
  std::string digest(const NodeName& node) const;
  // Stands in for a host key; "" for an unknown node.
  std::string identity(const NodeName& node) const;
  // Content of a file on a host; nullopt if there is none. For tests and lab status.
  std::optional<std::string> read_file(const NodeName& node, std::string_view path) const;
  // What a host would lose if its power failed now: paths of what was changed and not synced.
  std::vector<std::string> unsynced_files(const NodeName& node) const;
  // Every file that was written or removed since the start, for "no unowned file touched".
  std::vector<std::string> touched_files(const NodeName& node) const;
  std::vector<NodeName> nodes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// From the document and lab.yaml to simulated hosts and cables. Private to engine/lab.

// The machine of a node by the table of its platform, switched off; null if there is no maker for
// it: such a node is only a name at the end of a cable.
std::unique_ptr<Machine> build_machine(
    const NodeSpec& node, const FabricSpec& fabric, const LabSpec& lab, std::uint64_t seed);
// Gives a card whose GUID one of `taken` has already the next free one, and adds its own. Of
// hundreds of hosts two would draw the same.
void tell_cards_apart(Machine& machine, std::set<std::uint64_t>& taken);
// The cables of lab.yaml, or of the document, without the unplugged ones.
void plug_cables(World& world, const FabricSpec& fabric, const LabSpec& lab);
// The cables that end at one of these nodes; any other plug in their ports is pulled.
void plug_cables_of(
    const std::set<NodeName>& nodes, World& world, const FabricSpec& fabric, const LabSpec& lab);

}  // namespace fabric::lab
