// SPDX-License-Identifier: Apache-2.0
// ReadingRun: the base of runs that read the facts of their node before and after their work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/execute/action/action_run.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/provider/provider.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::execute {

// FactsRequest: asks one node its probes, again after a pause when the connection fails. Reading
// changes nothing, so that it may be repeated without asking whether it happened.
class FactsRequest {
 public:
  // Exactly one is set: the next step, or the result.
  struct Progress {
    std::optional<remote::Step> step;
    std::optional<NodeFacts> facts;
    std::optional<Error> error;
  };

  // `host` and `random` must outlive this.
  FactsRequest(NodeName node, const platform::HostPlatform& host, Random& random)
      : node_{std::move(node)}, host_{host}, random_{random} {}

  // `fresh`: over a new connection.
  remote::Step start(std::vector<Probe> probes, bool fresh);
  Progress next(const remote::StepResult& result);

 private:
  remote::Step ask();
  Progress again(Error error);

  NodeName node_;
  const platform::HostPlatform& host_;
  Random& random_;
  std::vector<Probe> probes_;
  std::string nonce_;
  bool fresh_ = false;
  bool pausing_ = false;
  int attempts_ = 0;
};

class ReadingRun : public ActionRun {
 public:
  ReadingRun(const plans::Action& action, ActionContext context);
  // Reads the resources of both kinds of conditions.
  remote::Step begin() override;
  const ActionResult& result() const override { return result_; }

 protected:
  using Next = std::optional<remote::Step>;

  // The first step of a reading of the resources of `conditions` and `more`.
  remote::Step read(
      std::vector<Condition> conditions, const std::vector<Condition>& more, bool fresh_session);
  Next end(ActionState state, ErrorCode code, std::string detail);

  // NOLINTBEGIN(cppcoreguidelines-non-private-member-variables-in-classes): of the runs below
  const plans::Action& action_;
  ActionContext context_;
  FactsRequest request_;
  ActionResult result_;
  // NOLINTEND(cppcoreguidelines-non-private-member-variables-in-classes)
};

}  // namespace fabric::execute
