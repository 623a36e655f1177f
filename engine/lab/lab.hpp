// SPDX-License-Identifier: Apache-2.0
// Lab: simulated machines with their cards, cables and boots. It imitates real machines by
// documented facts (docs/evidence.md), not by what fabric's providers send: a machine runs any line
// as its system would, and answers an unknown command as that system does. The platforms make the
// machines (platforms.hpp). No I/O, no real time: its callers (lab/runner in virtual time,
// labserver over SSH) drive it with their time.
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

// How the command of one exec and its reply are delivered.
enum class Delivery : std::uint8_t {
  normal,
  lost_command,  // the connection drops before anything ran
  lost_reply,    // the command ran, then the connection drops
  stall          // the command ran or not, and no answer comes
};

// A command line in one session at a machine.
struct CommandLine {
  std::string line, input;
};
// Keys in a session that Lab::open_prompt() has opened.
struct TypedKeys {
  std::uint64_t session = 0;
  std::string keys;
};
// A reboot ordered by a cluster manager.
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
  // Set if the machine can't do the work at all: it has no prompt.
  std::optional<Error> not_run{};
};

enum class Power : std::uint8_t { up, going_down, down, booting, dead };

struct LateChange {
  NodeName node;
  Work work;
};

// Counters of the lab itself, independent of fabric.
struct Monitor {
  std::uint32_t reboots = 0;  // of all hosts
  std::map<std::string, std::uint32_t> reboots_by_node;
  std::uint32_t most_down_at_once = 0;
  // Pairs of ring neighbours that were down at the same time, "pve1 pve2", each once: one was told
  // to reboot while the other was down for any reason.
  std::vector<std::string> neighbours_down_together;
  // Changes by commands sent before the rollback of the host's network, and run after it.
  std::vector<LateChange> late_changes;
};

// An event on a host: its power changed, a fault struck, or a command changed something.
struct HostEvent {
  TimePoint at;
  NodeName node;
  Power power = Power::up;    // from now on
  Fault fault = Fault::none;  // the fault that just struck a command
  bool changed = false;       // by a command just now
};

// How to log in to the node by the document.
struct Login {
  std::string user = "root";
  bool sudo = false;  // become: sudo
};

class Lab {
 public:
  // One machine per node of the document whose platform has a maker (LabSpec::makers), with the
  // document's cards and factory settings unless `lab` says otherwise. Any other node is only a
  // name at the end of its cables. All random values come from lab.seed.
  Lab(const FabricSpec& fabric, const LabSpec& lab);
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  // Lets time pass: boots proceed, timers fire. `now` never goes back.
  void advance(TimePoint now);
  // The next time at which something happens by itself, if any.
  std::optional<TimePoint> next_event() const;

  // True if the host accepts a connection now; false while down, booting, refused or dead.
  bool accepts_connections(const NodeName& node) const;
  // True if no login works; a command over an open session arrives at the rollback of the change.
  bool keeps_sessions(const NodeName& node) const;
  // True if its network is up, no login works, and no timer on it would roll the change back.
  bool stays_cut_off(const NodeName& node) const;
  Power power(const NodeName& node) const;
  Login login(const NodeName& node) const;
  // Runs a shell line as `user` ("root", or another for whom sudo -n works) with `input`.
  ExecResult exec(
      const NodeName& node, std::string_view user, std::string_view line, std::string_view input);

  // As exec(), for lines at a prompt and all other work.
  ExecResult perform(const NodeName& node, std::string_view user, const Work& work);

  bool has_prompt(const NodeName& node) const;
  // Opens a session at the machine's prompt, with its greeting; 0: it has no prompt, or accepts no
  // connection. The session ends when the machine goes down. TypedKeys are work like any other.
  std::uint64_t open_prompt(const NodeName& node, std::string_view user, ExecResult& greeting);
  // True if the session was logged out or cut off, or never existed.
  bool prompt_ended(std::uint64_t session) const;
  void close_prompt(std::uint64_t session);
  // True if the command reads its input, which a client may send after the command.
  bool reads_input(const NodeName& node, std::string_view line) const;

  // Reads the state of the host at its console, by `work` or `line`: no fault applies and no time
  // passes. REQUIRES: the host is up, and the work changes nothing.
  ExecResult look(const NodeName& node, const Work& work);
  ExecResult look(const NodeName& node, std::string_view line, std::string_view input);

  // Changes the host at its console: no fault applies and no time passes. REQUIRES: the host is up.
  void change(const NodeName& node, std::string_view line, std::string_view input);

  // Results of earlier commands that end sooner than first computed, `took` from now, because the
  // client came for which they waited. ExecResult::number names the command; each is returned once.
  std::vector<ExecResult> take_amended();

  // lab fault NODE FAULT, lab recable A B, and so on. Fail with ErrorCode::not_found or invalid.
  // lost_reply, lost_command and power_loss strike the next command that changes something on the
  // host, once; stall, refused, disk_full, lying_exit, slow_boot and no_boot last until `none`,
  // which also switches a dead host on again. `only`: strikes only commands whose line contains
  // this text.
  Result<void> set_fault(const NodeName& node, Fault fault, std::string only = {});
  // The fault that is still to strike or lasts; none for an unknown node.
  Fault fault(const NodeName& node) const;
  Result<void> recable(std::string_view a, std::string_view b);
  // Adds the new nodes of the document, with their cables; all other nodes stay as they are.
  // Returns those that have a machine.
  std::vector<NodeName> add_nodes(const FabricSpec& fabric, const LabSpec& lab);
  // Takes the cable out at both its ends, or only at this one.
  Result<void> unplug(std::string_view port, bool one_end = false);
  // Replaces the card by another of the same model with factory settings, in the same slot and with
  // the same cables; the host loses its power for it. `adapter`: "" if it has one card.
  Result<void> swap_card(const NodeName& node, std::string_view adapter);
  // The power of a host that is up fails now, and comes back: it boots.
  void cut_power(const NodeName& node);
  // The percentage of commands that meet a random fault; LabSpec::fault_percent before.
  void set_fault_percent(std::uint32_t percent);

  // Calls `watcher` for every later event, in order of time; it may read the lab, and must not
  // change it.
  void watch(std::function<void(const HostEvent&)> watcher);
  // True if a subnet manager runs in the InfiniBand subnet that the port has a link to.
  bool is_managed(const PortRef& port) const;
  // True if the port has a link, and its card forwards what comes in there to its other port.
  bool forwards(const PortRef& port) const;

  // The longest IP packet in bytes that a host may send by the port, or that a port of a switch
  // passes. nullopt: it has no link, or passes none.
  std::optional<std::uint32_t> mtu(const PortRef& port) const;
  // The same for the IPoIB group of the default partition at the port; nullopt: there is none.
  std::optional<std::uint32_t> group_mtu(const PortRef& port) const;

  const Monitor& monitor() const;
  // A digest of everything that persists or runs on a host except time, counters and logs.
  std::string digest(const NodeName& node) const;
  // A stand-in for a host key; "" for an unknown node.
  std::string identity(const NodeName& node) const;
  // Content of a file on a host; nullopt if there is none. For tests and lab status.
  std::optional<std::string> read_file(const NodeName& node, std::string_view path) const;
  // The files that a host would lose if its power failed now: those changed and not synced.
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
// Gives a card whose GUID is in `taken` the next free one, and adds its own: two of hundreds of
// hosts may draw the same.
void tell_cards_apart(Machine& machine, std::set<std::uint64_t>& taken);
// Plugs in the cables of lab.yaml, or of the document, without the unplugged ones.
void plug_cables(World& world, const FabricSpec& fabric, const LabSpec& lab);
// Plugs in the cables that end at one of these nodes; any other plug in their ports is pulled.
void plug_cables_of(
    const std::set<NodeName>& nodes, World& world, const FabricSpec& fabric, const LabSpec& lab);

}  // namespace fabric::lab
