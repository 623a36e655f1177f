// SPDX-License-Identifier: Apache-2.0
// The order between subnet managers that are removed and those that stay or come.
#pragma once

#include <vector>

#include "engine/model/resource.hpp"

namespace fabric::providers {

// For all nodes: puts a removed manager `after` those that will manage its subnet.
void hand_over_subnets(std::vector<Resource>& resources);

}  // namespace fabric::providers
