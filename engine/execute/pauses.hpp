// SPDX-License-Identifier: Apache-2.0
// Pauses: the waves before which a run stops for inspection, to be resumed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "engine/execute/action/observer.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

enum class PauseAfter : std::uint8_t {
  never,
  canary,  // all canaries
  wave     // each wave
};
std::string_view to_string(PauseAfter after);

class Pauses {
 public:
  Pauses(const plans::Plan& plan, PauseAfter after, const std::set<NodeName>& canaries);
  // A resumed run does not pause again for an action that it finds done.
  void ended(const plans::Action& action, ActionState state);
  // True if the run pauses before `wave`. `opened`: the highest wave that was begun.
  bool before(std::uint32_t wave, std::optional<std::uint32_t> opened) const;

 private:
  PauseAfter after_;
  std::uint32_t last_canary_wave_ = 0;
  bool did_something_ = false;
};

}  // namespace fabric::execute
