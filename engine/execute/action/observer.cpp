// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/action/observer.hpp"

#include "engine/base/check.hpp"

namespace fabric::execute {

std::string_view to_string(ActionState state) {
  switch (state) {
    case ActionState::done:
      return "done";
    case ActionState::already_satisfied:
      return "already_satisfied";
    case ActionState::failed:
      return "failed";
    case ActionState::unknown:
      return "unknown";
    case ActionState::skipped:
      return "skipped";
    case ActionState::not_started:
      return "not_started";
  }
  FABRIC_CHECK(false, "an action state without a name");
}

}  // namespace fabric::execute
