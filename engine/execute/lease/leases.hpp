// SPDX-License-Identifier: Apache-2.0
// Leases: the locks of all nodes of a run (I12). Taken on every node before the first
// write, all or none; renewed while the run lasts; given up on every way out.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/provider/node_platforms.hpp"
#include "engine/remote/limited_runner.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::execute {

class FencedRunner final : public remote::StepRunner {
 public:
  // `run` as LeaseHolder::run; nodes whose platform does not fence get the steps as they are.
  // `runner` must outlive this.
  FencedRunner(platform::NodePlatforms nodes, std::string run, remote::StepRunner& runner)
      : nodes_{std::move(nodes)}, run_{std::move(run)}, runner_{runner} {}

  // A node can't refuse what another machine does to it (RunHere::changes_node), so it is asked
  // right before.
  void start(remote::StepRequest request) override;
  std::optional<remote::StepResult> wait_any(Duration patience) override;
  std::optional<remote::PeerIdentity> identity(const NodeName& node) const override {
    return runner_.identity(node);
  }
  const Clock& clock() const override { return runner_.clock(); }

  // True if the node refused the step, so that nothing of it was done.
  bool is_refusal(const NodeName& node, const remote::StepResult& result) const;

 private:
  const platform::Fencing* fencing(const NodeName& node) const;

  platform::NodePlatforms nodes_;
  std::string run_;
  remote::StepRunner& runner_;
  std::map<remote::Ticket, remote::StepRequest> asked_first_;
};

using platform::Lease;
using platform::LeaseAnswer;
using platform::LeaseHolder;

// The nodes whose platform has locks.
std::vector<NodeName> with_lock(const platform::NodePlatforms& nodes);

struct LeaseTerms {
  LeaseHolder holder;
  // The time that a lease lasts without renewal: others wait for it after this machine has died.
  Duration length{300'000};
  // True if this holder is known to have ended; false if it can't be asked.
  std::function<bool(const LeaseHolder&)> has_ended;
  // The time that a node may take for each step of its lock.
  Duration patience{60'000};
};

class Leases {
 public:
  // `runner` and `random` must outlive this.
  // Nodes whose platform has no lock are never asked, and count as covered: nothing there keeps
  // two runs apart.
  Leases(
      LeaseTerms terms, platform::NodePlatforms nodes, remote::StepRunner& runner, Random& random);

  // Waits for every node. Fails with ErrorCode::locked, naming node, holder, run and age, or as the
  // first node that could not be asked; then no lock is held, and the message names the nodes where
  // a lock was asked for, may have been taken, and could not be given up again.
  Result<void> take();
  // The runner for all writes on the nodes: each step that may change something is refused by the
  // node unless this run's lease is in force there.
  FencedRunner& fenced() { return fenced_; }
  // A node has refused a step: its lease is not counted on any more.
  void lost(const NodeName& node);
  // Waits for every node; a node that can't be asked is not asked again. Returns the nodes whose
  // lock may still be there.
  std::vector<NodeName> release();

  // True if the lease of `node` lasts for `needed` from now on, even if the node's clock is faster
  // than this machine's by a tenth.
  bool covers(const NodeName& node, Duration needed) const;
  // The nodes on which a third of the lease is over. To be called after every event of a run: it
  // looks at the nodes only when one can be due.
  std::vector<NodeName> due();
  // Makes the lease of `node` last for at least `needed`.
  remote::Step renewal(const NodeName& node, Duration needed);
  // Takes the result of renewal(). Fails with ErrorCode::locked if another run has the lock now,
  // else as the step did.
  Result<void> renewed(const NodeName& node, const remote::StepResult& result);

 private:
  struct Held {
    // End of the lease by the clock of the runner; earlier than by the node's clock.
    TimePoint until;
    TimePoint tried;
    TimePoint asked_for;  // the next `until`, if the renewal under way succeeds
  };
  TimePoint now() const { return runner_.clock().now(); }

  LeaseTerms terms_;
  const platform::NodeLock& lock(const NodeName& node) const;
  bool is_lockable(const NodeName& node) const;

  platform::NodePlatforms nodes_;
  remote::LimitedRunner runner_;
  Random& random_;
  FencedRunner fenced_;
  std::map<NodeName, Held> held_;
  TimePoint look_again_{};
};

}  // namespace fabric::execute
