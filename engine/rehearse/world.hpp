// SPDX-License-Identifier: Apache-2.0
// World: a simulated fabric that is planned and applied as by the program, and checks of what must
// never happen meanwhile. Simulation tests make up their fabric, `fabric rehearse` copies one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/exit_code.hpp"
#include "engine/execute/action/conditions.hpp"
#include "engine/lab/lab.hpp"
#include "engine/lab/runner.hpp"
#include "engine/platform/identity.hpp"
#include "engine/provider/node_platforms.hpp"
#include "engine/rehearse/fault_schedule.hpp"
#include "engine/rehearse/invariant_monitor.hpp"
#include "engine/rehearse/platform/simulated_platform.hpp"
#include "engine/rehearse/service.hpp"
#include "engine/rehearse/watches.hpp"
#include "engine/workflow/applying.hpp"

namespace fabric::rehearse {

// The parts of a world. All that it refers to must outlive the world.
struct Scene {
  const FabricSpec& spec;
  const SourceMap& sources;
  const std::vector<Resource>& resources;  // orphans left out
  const Registry& registry;
  const SimulatedPlatforms& simulated;
  lab::LabSpec lab;  // its makers take precedence over those of `simulated`
  lab::LocalFiles files{};
  // For a copy: the host keys of the original nodes.
  std::map<NodeName, std::string> host_keys{};
  // Nodes that were never reached: their copies never answer.
  std::set<NodeName> unreached{};
  // The only nodes that plans may change (plans::Plan::limit); empty = all nodes.
  std::vector<NodeName> limit{};
  // Nodes that a plan may cut off without a rollback (plans::Permissions).
  std::set<NodeName> allow_no_rollback{};
  platform::Identity own{};  // of the machine that fabric is said to run on
  // Its plans bring back the state before this run (workflow::Desired::undone).
  const plans::UndoneRun* undone = nullptr;
  // Resources that the lab can't simulate: they are neither changed nor checked.
  std::set<ResourceAddress> left_out{};
  // Foreign files of the lab's hosts that plans may adopt.
  std::vector<std::pair<NodeName, std::string>> foreign{};
};

// A lab with a maker for each platform.
lab::LabSpec machines_of(const Scene& scene);

// The outcome of one plan and its apply.
struct Round {
  bool errors = false;  // the plan was refused
  bool empty = false;
  bool idle = false;  // nothing is done: differences are only observed, or wait
  bool complete = false;
  bool killed = false;  // then there is no exit code
  ExitCode exit = ExitCode::done;
  Duration took{0};
  std::string failure{};  // the first action that failed, or why nothing was begun; "" = none
  std::set<std::string> refused_by{};  // rules of the errors of a plan that was refused
  // What the planner found, as the rule and the node or part of one that it is about.
  std::set<std::pair<std::string, std::string>> found{};
  std::set<std::string> withheld{};  // NODE/KIND/NAME/ATTRIBUTE
};

// An event, in virtual time.
struct TraceLine {
  enum class Kind : std::uint8_t { plan, action, host };
  Kind kind = Kind::action;
  TimePoint at{};
  std::string text;
  friend bool operator==(const TraceLine&, const TraceLine&) = default;
};

class World {
 public:
  World(Scene scene, std::uint64_t seed);
  // Plans, or takes `given`, and applies the plan file. `faults`: the acts of people meanwhile.
  Round round(const RunFaults& faults, const plans::Plan* given = nullptr);
  // The present state, by discovery.
  std::vector<NodeFacts> discover();
  // Ends all faults and brings every node up. Later plans are for the `spec` and `resources` of
  // that time.
  void clear_faults();
  // Nodes that were down all the time may come back, and plans may change all nodes.
  void want_all();
  // Later plans bring back the state before the last run that had something to do; or they follow
  // the document.
  void undo_last();
  void want_document() { scene_.undone = nullptr; }
  // The operator reboots the machine that fabric runs on. False: it is none of the nodes.
  bool reboot_own();
  void reboot(const std::set<NodeName>& nodes);
  std::set<NodeName> booted() const;
  // After the last run: everything that killed runs owed to a node has been done, no lock is left,
  // and no file is half written.
  void check_owed();
  TimePoint now() const { return runner_.time(); }
  // True if the machine that fabric runs on has paused; true if another operator, maybe with
  // another document, has been at work meanwhile.
  bool stood_still() const { return stood_still_; }
  bool second_came() const { return second_came_; }
  // True if a person has changed a file that a plan depends on.
  bool edited() const { return edited_; }
  ServiceWatch& service() { return service_; }
  // For each kind of fault: how often it struck.
  const std::map<std::string, std::uint32_t>& faults() const { return faults_; }
  // From now on reports a host that may send packets that its network does not carry.
  void watch_mtus() { mtus_.emplace(lab_, scene_.spec, violations_); }
  const std::vector<std::string>& violations() const { return violations_; }
  void violation(const std::string& what) { violations_.push_back(what); }
  const std::vector<TraceLine>& trace() const { return trace_; }

 private:
  class Recorder;
  class Interference;
  workflow::Desired desired() const;
  workflow::Planned plan();
  Round apply(const plans::Plan& made, const RunFaults& faults);
  void choose_nodes();
  void wait_until_up();
  Platform platform_of(const NodeName& node) const;
  void stall(const Stall& stall);
  // Returns the time of its end.
  TimePoint second_run(const Stall& stall);
  void meddle(const plans::Action& action);
  void edit_before_all(const plans::Plan& plan);
  void edit_before_step(const plans::Plan& plan, const remote::StepRequest& request);
  void edit(const plans::Plan& plan, const NodeName& node, const remote::Step* before);
  void mend_edits();
  void note(TraceLine::Kind kind, std::string text);
  void happened(const lab::HostEvent& event);
  void struck(const NodeName& node, lab::Fault fault, TimePoint at);
  void note_refusals();
  // Reports an action that is called done and is not, by the state of the node itself.
  void check_done(const plans::Action& action, const execute::ConditionJudge& judge);
  // Checks that a done action would survive a power cut.
  void check_durable(const plans::Action& action);
  // Checks that the journal after a power cut has everything that was reported. `told`: for each
  // begun action its end, by id.
  void check_journal(
      const std::string& text,
      const std::map<std::string, std::optional<execute::ActionState>>& told);
  // Keeps the run for its undo. `told`: as in check_journal.
  void note_run(
      const std::string& run,
      const plans::Plan& plan,
      const std::map<std::string, std::optional<execute::ActionState>>& told);
  void judge(const lab::LateChange& late);
  // Notes the contents that a plan may leave on its nodes.
  void note_written(const plans::Plan& plan);
  // Reports touched files on nodes that are not fabric's, or differ from the plan.
  void check_files();

  Scene scene_;
  lab::Lab lab_;
  std::vector<NodeName> nodes_;    // the lab's nodes that are reached, within the limit
  std::vector<NodeName> outside_;  // of the limit
  lab::Runner runner_;
  std::vector<std::string> violations_;
  std::size_t late_changes_ = 0;  // of the lab's that were judged
  InvariantMonitor watching_;
  std::optional<MtuWatch> mtus_;
  LeaseWatch leases_;
  ServiceWatch service_;
  Random random_;
  Random forgetting_;  // of the disk of the machine that fabric runs on
  std::vector<TraceLine> trace_;
  std::map<NodeName, lab::Power> power_;
  std::set<NodeName> refusing_;
  std::set<NodeName> cut_off_;  // for good
  // Nodes with a foreign file that was never in force: a rollback restores it, whatever its effect.
  std::set<NodeName> meddled_with_;
  std::set<NodeName> begun_;  // nodes on which the run has begun something
  std::map<NodeName, std::uint32_t> boots_;
  std::map<std::string, std::uint32_t> faults_;
  std::map<NodeName, std::set<std::string>> touched_before_;
  struct Meddled {
    NodeName node;
    std::string path, content;
  };
  std::vector<Meddled> meddled_;  // in this round
  FileEdit edit_;                 // the edit that is still to come
  struct Edited {
    NodeName node;
    std::string path, was;
  };
  std::vector<Edited> edits_;
  bool edited_ = false;
  ForeignWatch foreign_;
  // For each file: all texts that plans, rollbacks or another operator may have put there.
  std::map<std::pair<NodeName, std::string>, std::set<std::string>> written_;
  std::uint32_t rounds_ = 0;
  std::optional<plans::UndoneRun> last_, undone_;
  // The active runs, each with the runner of its steps.
  struct Actor {
    const lab::Runner* runner = nullptr;
    std::string run;
  };
  std::vector<Actor> actors_;
  std::uint32_t seconds_ = 0;
  bool stood_still_ = false;
  bool second_came_ = false;
};

// True if the run ended in a way that apply promises, when no other operator is at work.
bool is_promised(ExitCode code);

}  // namespace fabric::rehearse
