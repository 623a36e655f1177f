// SPDX-License-Identifier: Apache-2.0
// What every text about actions says in the same way.
#pragma once

#include "engine/provider/action_methods.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// How long a person is waited for.
inline Duration wait_of(const plans::Action& action) {
  return action.draft.kind == methods::kReboot ? action.reboot.down : action.draft.timeout;
}

}  // namespace fabric::report
