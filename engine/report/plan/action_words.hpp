// SPDX-License-Identifier: Apache-2.0
// Common words of all texts about actions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/provider/action_methods.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// The longest time that a person is waited for.
inline Duration wait_of(const plans::Action& action) {
  return action.draft.kind == methods::kReboot ? action.reboot.down : action.draft.timeout;
}

// For each wave: the kinds of its actions, in order of plan.
using KindsByWave = std::map<std::uint32_t, std::vector<std::string>>;

inline KindsByWave kinds_by_wave(const plans::Plan& plan) {
  KindsByWave all;
  for (const plans::Action& action : plan.actions) {
    std::vector<std::string>& kinds = all[action.wave];
    const bool known = std::find(kinds.begin(), kinds.end(), action.draft.kind) != kinds.end();
    if (!known) kinds.push_back(action.draft.kind);
  }
  return all;
}

}  // namespace fabric::report
