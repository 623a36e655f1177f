// InvariantMonitor: stands between the executor and the lab, and reports each violation of an
// invariant (docs/invariants.md).
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/lab/lab.hpp"
#include "engine/lab/runner.hpp"
#include "engine/model/topology/failure_domains.hpp"
#include "engine/rehearse/simulated_file.hpp"

namespace fabric::rehearse {

class InvariantMonitor final : public remote::StepRunner {
 public:
  // All must outlive this.
  InvariantMonitor(
      lab::Lab& lab,
      lab::Runner& runner,
      const FabricSpec& spec,
      std::vector<std::string>& violations);
  void start(remote::StepRequest request) override;
  std::optional<remote::StepResult> wait_any(Duration patience) override;
  std::optional<remote::PeerIdentity> identity(const NodeName& node) const override;
  const Clock& clock() const override { return runner_.clock(); }
  // Of the hooks that are run from now on, the one that fails; 0 = none does.
  void set_failing_hook(std::uint32_t which) { failing_hook_ = which; }
  // An action begins that interrupts the traffic of the node.
  void watch_disruption(const NodeName& node);
  // The run is over: nothing may be owed to any node.
  void end_plan();
  // The run was killed: what it owed is done by a later one.
  void kill_plan();
  // There is no later one: nothing may be owed any more.
  void end_all();
  // A new plan by this run: each node may be rebooted once more, and what is written needs its
  // lock.
  void begin_plan(const std::string& run);
  // Where this machine writes down what it is about to do; must outlive what is started.
  void set_journal(const SimulatedFile* journal) { journal_ = journal; }
  // Of a copy: the host keys of the nodes that it is of.
  void set_host_keys(std::map<NodeName, std::string> keys) { host_keys_ = std::move(keys); }
  // Somebody else answers at the address of the node.
  void replace_host_key(const NodeName& node) { host_keys_[node] = "SHA256:somebody-else"; }

 private:
  void watch_reboot(const NodeName& node);
  void stand_in(remote::StepRequest& request);
  void note_power();
  void watch_change(const NodeName& node, const std::string& what);

  lab::Lab& lab_;
  lab::Runner& runner_;
  std::set<std::pair<NodeName, NodeName>> apart_;  // both ways round
  std::uint32_t max_unavailable_;
  FailureDomains domains_;
  std::vector<std::string>& violations_;
  std::set<NodeName> sent_down_;  // by us, and not seen up since
  std::set<NodeName> hooked_;     // have a command before a disruption
  std::set<NodeName> drained_;
  std::set<NodeName> owed_;          // a before_disruption was begun, and no after_disruption since
  std::set<NodeName> owed_by_dead_;  // by runs that were killed
  std::map<remote::Ticket, NodeName> draining_;
  std::uint32_t failing_hook_ = 0;
  std::map<NodeName, int> reboots_;
  std::map<NodeName, std::string> host_keys_;
  std::string run_;
  const SimulatedFile* journal_ = nullptr;
};

}  // namespace fabric::rehearse
