// SPDX-License-Identifier: Apache-2.0
// The implementation of Lab. Private to engine/lab.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/deadlines.hpp"
#include "engine/lab/lab.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/lab/wire/world.hpp"
#include "engine/remote/step.hpp"

namespace fabric::lab {

// A command that a machine runs.
struct SentWork {
  NodeName node;
  std::string user;
  Work work;
};

struct OpenPrompt {
  NodeName node;
  std::string user;
  std::unique_ptr<PromptSession> session;
};

struct HostLife {
  Power power = Power::up;
  TimePoint event{};  // of going_down: down; of booting: up
  Fault fault = Fault::none;
  std::uint32_t fault_after = 0;
  std::string fault_only;                // strikes only commands whose lines contain this; "" = any
  std::optional<TimePoint> boots_again;  // by itself, met by boots_twice
  std::string network_that_works;  // of cut_off: any other network configuration cuts the host off
  std::vector<SentWork> on_the_way;  // of late
  LabClocks clocks;
  bool sudo = false;
  std::string user = "root";
};

inline bool cuts_off(Fault fault) {
  return fault == Fault::cut_off || fault == Fault::late;
}

struct Lab::Impl {
  explicit Impl(std::uint64_t seed) : world{machines}, random{seed} {}

  std::map<NodeName, std::unique_ptr<Machine>> machines;
  World world;
  std::map<NodeName, HostLife> lives;
  Random random;
  TimePoint now{};
  Monitor monitor;
  std::set<std::pair<NodeName, NodeName>> ring_neighbours;
  std::uint32_t fault_percent = 0;
  std::map<std::uint64_t, SentWork> servers;  // servers that wait for a client, by number
  std::uint64_t commands = 0;
  std::vector<ExecResult> amended;
  std::map<std::uint64_t, OpenPrompt> prompts;
  std::uint64_t prompts_opened = 0;
  std::function<void(const HostEvent&)> watcher;
  // When something happens by itself on each node; correct except for the nodes in `touched`.
  mutable Deadlines<NodeName> events;
  mutable std::set<NodeName> touched;
  mutable bool all_touched = false;

  // Code that changes a machine or its life takes it from here first: the machine's links and
  // events are then computed anew.
  Machine& hand(const NodeName& node);
  // Ends the changes of all machines that hand() returned before.
  void begin() const { world.let_go(); }

  Machine* find(const NodeName& node);
  const Machine* find(const NodeName& node) const;
  // Builds the node's machine, switched off and without cables; false if nodes of this kind are
  // only names. `guids`: the GUIDs of all cards in the lab.
  bool build(
      const NodeSpec& node,
      const FabricSpec& fabric,
      const LabSpec& lab,
      std::set<std::uint64_t>& guids);
  // Starts the machine as if it had been running for a while. REQUIRES: it is built, and cabled.
  void switch_on(const NodeName& node, const LabSpec& lab);
  // REQUIRES: the host exists.
  bool is_cut_off(const NodeName& node) const;

  // lab_time.cpp
  std::optional<std::pair<TimePoint, NodeName>> next() const;
  std::optional<TimePoint> next_of(const HostLife& life, const Machine& machine) const;
  void note_event(const NodeName& node) const;
  void happen(const NodeName& node, TimePoint at);
  void goes_down(const NodeName& node, TimePoint at);
  // A power loss without a shutdown: unsynced data may be lost.
  void loses_power(const NodeName& node, TimePoint at);
  void start_boot(const NodeName& node, TimePoint at);
  // Updates bonds and IPoIB from the other ends of their cables.
  void settle_links();
  void tell(const NodeName& node, TimePoint at, Fault struck, bool commanded = false) const;
  bool is_paused(const HostLife& life) const;
  // Applies the sets and pauses up to now to the machine's clocks.
  void set_clocks(Machine& machine, HostLife& life) const;
  // `commanded`: the host that a command has just told to go down; null for a power loss.
  void watch(const NodeName* commanded);

  // lab_exec.cpp
  void catch_up(const NodeName& node, const std::vector<std::string>& lines);
  void change(const NodeName& node, const CommandLine& line);
  void event_on(const NodeName& node);
  // Runs commands that were sent while the host was cut off, once it is reachable again.
  void arrive_late(const NodeName& node);
  void note_shutdown(const NodeName& node, bool was_going_down);
  struct Draw {
    Fault fault = Fault::none;
    bool by_chance = false;  // meets this command, whatever it is
  };
  Draw draw_fault(const Machine& machine, HostLife& life, const Work& work);
  ExecResult run(const SentWork& sent);
  ExecResult perform(const NodeName& node, std::string_view user, const Work& work);
  // Ends the commands whose client came with this one, and forgets those that have ended.
  void note_flows(const SentWork& sent, const ExecResult& result);
  void settle(
      Machine& machine,
      HostLife& life,
      const Draw& draw,
      std::unique_ptr<SavedState> before,
      ExecResult& result);
};

// Work: the commands that a machine runs in one session; faults of the lab apply to all of them.
// Private to engine/lab except for its types.
// The text in messages, which a fault can be limited to: the command line, the lines, "GET /x".
std::string text_of(const Work& work);
// Cuts the work to the half that arrives when the connection breaks. False: it has no halves.
bool tear(Work& work);

// Runs the work on the machine under all present faults. `session`: that of TypedKeys, else null.
ExecResult perform_on(
    Machine& machine,
    const Network& network,
    std::string_view user,
    const Work& work,
    PromptSession* session);

}  // namespace fabric::lab
