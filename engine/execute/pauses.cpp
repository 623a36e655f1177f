// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/pauses.hpp"

#include <algorithm>
#include <string>

#include "engine/base/check.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::execute {

namespace {

bool is_work(const plans::Action& action) {
  const std::string& kind = action.draft.kind;
  return action.wave > 0 && kind != methods::kHookBefore && kind != methods::kHookAfter &&
         kind != methods::kHookForget && kind != methods::kHealthCheck;
}

}  // namespace

std::string_view to_string(PauseAfter after) {
  switch (after) {
    case PauseAfter::never:
      return "never";
    case PauseAfter::canary:
      return "canary";
    case PauseAfter::wave:
      return "wave";
  }
  FABRIC_CHECK(false, "a pause without a name");
}

Pauses::Pauses(const plans::Plan& plan, PauseAfter after, const std::set<NodeName>& canaries)
    : after_{after} {
  for (const plans::Wave& wave : plan.waves) {
    const bool has_canary =
        std::any_of(wave.nodes.begin(), wave.nodes.end(), [&canaries](const NodeName& node) {
          return canaries.contains(node);
        });
    if (has_canary) last_canary_wave_ = std::max(last_canary_wave_, wave.number);
  }
}

void Pauses::ended(const plans::Action& action, ActionState state) {
  if (state == ActionState::done && is_work(action)) did_something_ = true;
}

bool Pauses::before(std::uint32_t wave, std::optional<std::uint32_t> opened) const {
  if (after_ == PauseAfter::never || wave < 2 || !did_something_) return false;
  return after_ == PauseAfter::wave ||
         (opened.value_or(0) <= last_canary_wave_ && wave > last_canary_wave_);
}

}  // namespace fabric::execute
