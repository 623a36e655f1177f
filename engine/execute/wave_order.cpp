// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/wave_order.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace fabric::execute {

WaveOrder::WaveOrder(const plans::Plan& plan) {
  for (const plans::Action& action : plan.actions) {
    wave_of_.push_back(action.wave);
    ++unended_[action.wave];
  }
}

std::optional<std::uint32_t> WaveOrder::next() {
  while (!unended_.empty()) {
    const auto [wave, count] = *unended_.begin();
    if (!opened_ || *opened_ < wave) return wave;
    if (count > 0) return std::nullopt;
    unended_.erase(unended_.begin());
  }
  return std::nullopt;
}

std::set<WaveOrder::Index> WaveOrder::open(std::uint32_t wave) {
  opened_ = wave;
  const auto held = held_.find(wave);
  if (held == held_.end()) return {};
  std::set<Index> ready = std::move(held->second);
  held_.erase(held);
  return ready;
}

void WaveOrder::put_off(const std::set<Index>& actions) {
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t last = opened_.value_or(0);
  for (const Index action : actions)
    first = std::min(first, wave_of_[action]);
  for (const auto& [wave, count] : unended_)
    last = std::max(last, wave);
  for (const Index action : actions) {
    const std::uint32_t before = wave_of_[action];
    const std::uint32_t now = before - first + last + 1;
    wave_of_[action] = now;
    --unended_[before];
    ++unended_[now];
    const auto held = held_.find(before);
    if (held != held_.end() && held->second.erase(action) != 0) held_[now].insert(action);
  }
}

}  // namespace fabric::execute
