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

  // What another machine does to the node (RunHere::changes_node) can't be refused by the node, so
  // that the node is asked right before.
  void start(remote::StepRequest request) override;
  std::optional<remote::StepResult> wait_any(Duration patience) override;
  std::optional<remote::PeerIdentity> identity(const NodeName& node) const override {
    return runner_.identity(node);
  }
  const Clock& clock() const override { return runner_.clock(); }

  // The node refused the step, and nothing of it was done.
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
  // How long a lease lasts without being renewed: what others wait for after this machine has died.
  Duration length{300'000};
  // Is this holder known to have ended? One that can't be asked is not.
  std::function<bool(const LeaseHolder&)> has_ended;
  // How long a node may take for each step of its lock.
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
  // first node that could not be asked failed; then none is held, and the message names the nodes
  // where a lock was asked for, may have been taken, and could not be given up again.
  Result<void> take();
  // What writes on the nodes goes through it: each step that may change something is refused by the
  // node unless this run's lease is in force there.
  FencedRunner& fenced() { return fenced_; }
  // A node has refused a step: its lease is not counted on any more.
  void lost(const NodeName& node);
  // Waits for every node; a node that can't be asked is not asked again. Returns those whose lock
  // may still be there.
  std::vector<NodeName> release();

  // The lease of `node` lasts for `needed` from now on, also if the node's clock is faster than
  // ours by a tenth.
  bool covers(const NodeName& node, Duration needed) const;
  // A third of the lease is over on these. Asked after every event of a run: it looks at the nodes
  // only when one can be due.
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
    TimePoint asked_for;  // `until` once the renewal that is under way has been answered
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
