// World: a simulated fabric that is planned and applied as the program does it, and what must never
// be seen while that goes on. The simulation tests make theirs up, `fabric rehearse` copies one.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/exit_code.hpp"
#include "engine/execute/action/conditions.hpp"
#include "engine/lab/lab.hpp"
#include "engine/lab/runner.hpp"
#include "engine/rehearse/fault_schedule.hpp"
#include "engine/rehearse/invariant_monitor.hpp"
#include "engine/rehearse/service.hpp"
#include "engine/workflow/applying.hpp"

namespace fabric::rehearse {

// What a world is made of. All that it refers to must outlive the world.
struct Scene {
  const FabricSpec& spec;
  const SourceMap& sources;
  const std::vector<Resource>& resources;  // orphans left out
  const Registry& registry;
  lab::LabSpec lab;
  lab::LocalFiles files{};
  // Of a copy.
  std::map<NodeName, std::string> host_keys{};
  // Nodes that were never reached: they don't answer, and stay so.
  std::set<NodeName> unreached{};
  // Resources that the lab can't play: nothing is done about them, and nothing is expected.
  std::set<ResourceAddress> left_out{};
};

// How one plan and its apply went.
struct Round {
  bool errors = false;  // the plan was refused
  bool empty = false;
  bool complete = false;
  bool killed = false;  // it has no exit code then
  ExitCode exit = ExitCode::done;
  Duration took{0};
  std::string failure{};  // the first action that failed, or why nothing was begun; "" = none
};

// Something that happened, in virtual time.
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
  // Plans, or takes `given`, and applies what the plan file says. Of `faults` what people do to it.
  Round round(const RunFaults& faults, const plans::Plan* given = nullptr);
  // What there is, as discovery sees it.
  std::vector<NodeFacts> discover();
  // Nothing fails any more, and every node is up.
  void clear_faults();
  // After the last run: what runs that were killed owed to a node has been done, and no lock is
  // left.
  void check_owed() { watching_.end_all(); }
  TimePoint now() const { return runner_.clock().now(); }
  ServiceWatch& service() { return service_; }
  // Faults that struck, how often each.
  const std::map<std::string, std::uint32_t>& faults() const { return faults_; }
  const std::vector<std::string>& violations() const { return violations_; }
  void violation(const std::string& what) { violations_.push_back(what); }
  const std::vector<TraceLine>& trace() const { return trace_; }

 private:
  class Recorder;
  class ControlHost;
  workflow::Desired desired() const;
  workflow::Planned plan();
  Round apply(const plans::Plan& made, const RunFaults& faults);
  void meddle(const plans::Action& action);
  void note(TraceLine::Kind kind, std::string text);
  void happened(const lab::HostEvent& event);
  void struck(const NodeName& node, lab::Fault fault, TimePoint at);
  void note_refusals();
  // An action that is reported as done and is not: the node itself is looked at to tell.
  void check_done(const plans::Action& action, const execute::ConditionJudge& judge);
  // Files on nodes that are not ours, or not as they were planned, and were touched.
  void check_files();

  Scene scene_;
  lab::Lab lab_;
  std::vector<NodeName> nodes_;  // all of the lab's
  lab::Runner runner_;
  std::vector<std::string> violations_;
  std::size_t lab_violations_ = 0;  // of the lab's own that are among them
  InvariantMonitor watching_;
  ServiceWatch service_;
  Random random_;
  std::vector<TraceLine> trace_;
  std::map<NodeName, lab::Power> power_;
  std::set<NodeName> refusing_;
  std::set<NodeName> cut_off_;  // for good
  // What somebody else wrote and never tried out is put back as it was, whatever it does.
  std::set<NodeName> meddled_with_;
  std::map<NodeName, std::uint32_t> boots_;
  std::map<std::string, std::uint32_t> faults_;
  std::map<NodeName, std::set<std::string>> touched_before_;
  struct Meddled {
    NodeName node;
    std::string path, content;
  };
  std::vector<Meddled> meddled_;  // in this round
  std::uint32_t rounds_ = 0;
};

// Did the run end in a way that apply promises, when nobody else is at work?
bool is_promised(ExitCode code);

}  // namespace fabric::rehearse
