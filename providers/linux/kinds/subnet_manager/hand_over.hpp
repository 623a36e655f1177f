// SPDX-License-Identifier: Apache-2.0
// Subnet managers that go, and those that stay or come.
#pragma once

#include <vector>

#include "engine/model/resource.hpp"

namespace fabric::providers {

// Of all nodes. A manager that goes is `after` those that manage its subnet then.
void hand_over_subnets(std::vector<Resource>& resources);

}  // namespace fabric::providers
