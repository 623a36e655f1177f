// SPDX-License-Identifier: Apache-2.0
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
#include "engine/model/expand/expand.hpp"
#include "engine/model/topology/failure_domains.hpp"
#include "engine/provider/registry.hpp"
#include "engine/rehearse/fault_schedule.hpp"
#include "engine/rehearse/platform/simulated_platform.hpp"
#include "engine/rehearse/simulated_file.hpp"
#include "plans/plan.hpp"

namespace fabric::rehearse {

class InvariantMonitor final : public remote::StepRunner {
 public:
  // All arguments must outlive this.
  InvariantMonitor(
      lab::Lab& lab,
      lab::Runner& runner,
      const FabricSpec& spec,
      const Registry& registry,
      const SimulatedPlatforms& simulated,
      std::vector<std::string>& violations);
  void start(remote::StepRequest request) override;
  std::optional<remote::StepResult> wait_any(Duration patience) override;
  std::optional<remote::PeerIdentity> identity(const NodeName& node) const override;
  const Clock& clock() const override { return runner_.clock(); }
  // Chooses the hook that fails, counted from now on; 0 = none fails.
  void set_hook_faults(const RunFaults& faults) {
    failing_hook_ = faults.failing_hook;
    busy_hook_ = faults.busy_hook;
  }
  // Nodes that are down all the time for an unknown reason: they count as down, as do the nodes
  // that the document names as down by now.
  void set_down(std::set<NodeName> unreached);
  // Called when an action begins that interrupts the traffic of the node.
  void watch_disruption(const NodeName& node);
  // Called when the run is over: no node may be owed anything.
  void end_plan();
  // Called when the run was killed: a later run does what it owed.
  void kill_plan();
  // Adds the results of another operator's run, which is over.
  void add(const InvariantMonitor& second);
  // Called after the last run: no node may be owed anything any more.
  void end_all();
  // Begins a new plan: each node may be rebooted once more, or as often as its named sequence says.
  void begin_plan(const plans::Plan& plan);
  // The journal in which this machine notes work before it does it; must outlive what is started.
  void set_journal(const SimulatedFile* journal) { journal_ = journal; }
  // For a copy: the host keys of its original nodes.
  void set_host_keys(std::map<NodeName, std::string> keys) { host_keys_ = std::move(keys); }
  // Makes another machine answer at the address of the node.
  void replace_host_key(const NodeName& node) { host_keys_[node] = "SHA256:somebody-else"; }

 private:
  bool is_reboot(const NodeName& node, const remote::Step& step) const;
  void watch_reboot(const NodeName& node);
  void watch_ring(const Ring& ring, const NodeName& node);
  void watch_managers(const NodeName& node);
  void stand_in(remote::StepRequest& request);
  void note_power();
  void watch_change(const NodeName& node, const std::string& what);
  // An answer of the node must stay true after a power cut.
  void watch_answer(const NodeName& node);
  void watch_fence(const remote::StepRequest& request);

  lab::Lab& lab_;
  lab::Runner& runner_;
  const FabricSpec& spec_;
  std::vector<Ring> rings_;
  std::vector<ManagerGroup> managers_;
  const Registry& registry_;
  const SimulatedPlatforms& simulated_;
  std::set<std::pair<NodeName, NodeName>> apart_;  // both ways round
  std::uint32_t max_unavailable_;
  FailureDomains domains_;
  std::vector<std::string>& violations_;
  Down down_;
  std::set<NodeName> sent_down_;                         // by us, and not seen up since
  std::set<NodeName> hooked_;                            // have a command before a disruption
  std::map<NodeName, const SimulatedPlatform*> fenced_;  // refuse what is sent without a lease
  std::set<NodeName> drained_;
  std::set<NodeName> owed_;          // a before_disruption was begun, and no after_disruption since
  std::set<NodeName> owed_by_dead_;  // by runs that were killed, or lost the node
  std::set<NodeName> settled_;       // an after_disruption was begun, whichever run owed it
  std::set<PortRef> forwarding_;     // of rings, when the plan began
  std::map<remote::Ticket, NodeName> draining_;
  std::map<remote::Ticket, NodeName> asked_;  // a step that has not ended
  std::uint32_t failing_hook_ = 0, busy_hook_ = 0;
  std::uint32_t asked_hooks_ = 0;  // before a disruption
  std::map<NodeName, int> reboots_, allowed_reboots_;
  std::map<NodeName, std::string> host_keys_;
  const SimulatedFile* journal_ = nullptr;
};

}  // namespace fabric::rehearse
