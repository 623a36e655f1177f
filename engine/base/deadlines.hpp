// SPDX-License-Identifier: Apache-2.0
// Deadlines of many keys: at most one for each, and the earliest of all.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/clock.hpp"

namespace fabric {

template <class Key>
class Deadlines {
 public:
  // Replaces the former deadline of `key`; nullopt: it has none.
  void set(const Key& key, std::optional<TimePoint> at) {
    const auto known = of_.find(key);
    if (known != of_.end()) {
      if (at == known->second) return;
      by_time_.erase({known->second, key});
      of_.erase(known);
    }
    if (!at) return;
    by_time_.emplace(*at, key);
    of_.emplace(key, *at);
  }

  // The earliest deadline; of equal ones that of the first key. Nullopt if there is none.
  std::optional<std::pair<TimePoint, Key>> next() const {
    return by_time_.empty() ? std::nullopt : std::optional{*by_time_.begin()};
  }

  // The keys whose time has come, the longest overdue first. They stay until set() changes them.
  std::vector<Key> due(TimePoint now) const {
    std::vector<Key> keys;
    for (auto each = by_time_.begin(); each != by_time_.end() && each->first <= now; ++each)
      keys.push_back(each->second);
    return keys;
  }

 private:
  std::set<std::pair<TimePoint, Key>> by_time_;
  std::map<Key, TimePoint> of_;
};

}  // namespace fabric
