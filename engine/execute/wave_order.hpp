// SPDX-License-Identifier: Apache-2.0
// WaveOrder: which actions of a plan may run as far as waves go. The waves of the plan come in
// their order; what is put off comes after all of them, in an order of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "plans/plan.hpp"

namespace fabric::execute {

class WaveOrder {
 public:
  using Index = std::size_t;  // of an action in its plan

  explicit WaveOrder(const plans::Plan& plan);

  std::uint32_t of(Index action) const { return wave_of_[action]; }
  bool is_open(Index action) const { return opened_ && wave_of_[action] <= *opened_; }
  // The highest wave that may run; nullopt: none has been opened.
  std::optional<std::uint32_t> opened() const { return opened_; }
  // It could start but for its wave, and comes back by open().
  void hold(Index action) { held_[wave_of_[action]].insert(action); }
  void ended(Index action) { --unended_[wave_of_[action]]; }
  // The wave to open now, as everything before it has ended. Nullopt: something has not, or all is
  // open.
  std::optional<std::uint32_t> next();
  // REQUIRES: wave == next(). What was held for it.
  std::set<Index> open(std::uint32_t wave);
  // Behind everything else, and among themselves in the order that they had. REQUIRES: none of them
  // has ended. What needs one of them is among them.
  void put_off(const std::set<Index>& actions);

 private:
  std::vector<std::uint32_t> wave_of_;
  std::map<std::uint32_t, std::size_t> unended_;
  std::map<std::uint32_t, std::set<Index>> held_;
  std::optional<std::uint32_t> opened_;
};

}  // namespace fabric::execute
