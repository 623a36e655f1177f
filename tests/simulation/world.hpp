// World: a simulated fabric that is planned and applied as the program does it, and what must never
// be seen while that goes on.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/execute/executor.hpp"
#include "engine/execute/exit_code.hpp"
#include "engine/lab/lab.hpp"
#include "engine/lab/runner.hpp"
#include "plans/waves.hpp"

#include "tests/simulation/scenario.hpp"

namespace fabric::simulation {

// Stands between the executor and the lab and watches every step.
class WatchingRunner final : public remote::StepRunner {
 public:
  // All must outlive this.
  WatchingRunner(
      lab::Lab& lab,
      lab::Runner& runner,
      const FabricSpec& spec,
      std::vector<std::string>& violations);
  void start(remote::StepRequest request) override;
  std::optional<remote::StepResult> wait_any(Duration patience) override;
  std::optional<remote::PeerIdentity> identity(const NodeName& node) const override;
  const Clock& clock() const override { return runner_.clock(); }
  // A new plan by this run: each node may be rebooted once more, and what is written needs its
  // lock.
  void begin_plan(const std::string& run);

 private:
  void watch_reboot(const NodeName& node);
  void note_power();
  void watch_lock(const NodeName& node, const std::string& what);

  lab::Lab& lab_;
  lab::Runner& runner_;
  plans::RingNeighbours neighbours_;
  std::uint32_t max_unavailable_;
  std::vector<std::string>& violations_;
  std::set<NodeName> sent_down_;  // by us, and not seen up since
  std::map<NodeName, int> reboots_;
  std::string run_;
};

// How one plan and its apply went.
struct Round {
  bool errors = false;  // the plan was refused
  bool empty = false;
  bool complete = false;
  execute::ExitCode exit = execute::ExitCode::done;
};

class World {
 public:
  explicit World(std::uint64_t seed);
  // Plans, and applies what the plan file says.
  Round round(std::uint32_t interrupt_after);
  // Nothing fails any more, and every node is up.
  void clear_faults();
  const std::vector<std::string>& violations() const { return violations_; }
  void violation(const std::string& what) { violations_.push_back(what); }
  // Everything that happened, in virtual time.
  const std::vector<std::string>& trace() const { return trace_; }
  const Scenario& scenario() const { return scenario_; }
  // Files on nodes that are not ours and were touched.
  void check_files();

 private:
  class Recorder;
  plans::Plan plan(bool& errors);

  Scenario scenario_;
  lab::Lab lab_;
  lab::Runner runner_;
  std::vector<std::string> violations_;
  WatchingRunner watching_;
  Registry registry_;
  std::vector<Resource> resources_;
  Random random_;
  std::vector<std::string> trace_;
  std::uint32_t rounds_ = 0;
};

}  // namespace fabric::simulation
