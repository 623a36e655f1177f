// SPDX-License-Identifier: Apache-2.0
// FencedRunner: the steps that a run under leases sends to its nodes. Each step that may change
// something is fenced here (I12, platform/fencing), whichever code made it: none can be forgotten,
// because only a step that says that it only reads passes as it is. It costs no step of its own.
#pragma once

#include <map>
#include <string>

#include "engine/provider/node_platforms.hpp"
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

}  // namespace fabric::execute
