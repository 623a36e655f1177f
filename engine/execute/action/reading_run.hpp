// SPDX-License-Identifier: Apache-2.0
// ReadingRun: the base of runs that read the facts of their node before and after their work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/execute/action/action_run.hpp"
#include "engine/execute/action/facts_request.hpp"

namespace fabric::execute {

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
