// SPDX-License-Identifier: Apache-2.0
// Order: the order of this plan's changes, beyond that of the resources themselves.
#pragma once

#include <set>
#include <utility>

#include "engine/model/resource.hpp"

namespace fabric::plans {

struct Order {
  using Pair = std::pair<ResourceAddress, ResourceAddress>;  // (before, after)
  std::set<Pair> edges;
  // edges of Resource::after that point the other way in this plan
  std::set<Pair> dropped;
  bool empty() const { return edges.empty() && dropped.empty(); }
};

}  // namespace fabric::plans
