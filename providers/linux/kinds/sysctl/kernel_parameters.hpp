// SPDX-License-Identifier: Apache-2.0
// Kernel parameters that several resources of a node set in their files: a profile's and the node's
// own, for one value in the kernel.
#pragma once

#include <string_view>
#include <vector>

#include "engine/model/resource.hpp"

namespace fabric::providers {

// In Resource::binding: the list of keys that this resource loses and must not put back, because
// another resource of the node sets them, or is removed too and puts them back. Absent if empty.
inline constexpr std::string_view kTakenOver = "taken_over";

// Adds kTakenOver, and puts an orphan after the resources that take its keys over: only its file
// has the values from before fabric. Of orphans that share a key the first in order of address puts
// the value back.
void hand_over_kernel_parameters(std::vector<Resource>& resources);

}  // namespace fabric::providers
