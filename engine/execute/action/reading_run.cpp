// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/reading_run.hpp"

#include <utility>

namespace fabric::execute {

ReadingRun::ReadingRun(const plans::Action& action, ActionContext context)
    : action_{action},
      context_{std::move(context)},
      request_{action.node, context_.host(), context_.random} {
  result_.id = action.id;
}

remote::Step ReadingRun::begin() {
  return read(action_.draft.preconditions, action_.draft.postconditions, false);
}

remote::Step ReadingRun::read(
    std::vector<Condition> conditions, const std::vector<Condition>& more, bool fresh_session) {
  conditions.insert(conditions.end(), more.begin(), more.end());
  return request_.start(context_.probes_for(conditions), fresh_session);
}

ReadingRun::Next ReadingRun::end(ActionState state, ErrorCode code, std::string detail) {
  result_.state = state;
  result_.code = code;
  result_.detail = std::move(detail);
  return std::nullopt;
}

}  // namespace fabric::execute
