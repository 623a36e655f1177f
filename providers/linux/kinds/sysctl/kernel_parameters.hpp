// SPDX-License-Identifier: Apache-2.0
// Kernel parameters that a node's resources share: one value in the kernel, which files of several
// resources set, a profile's and the node's own.
#pragma once

#include <string_view>
#include <vector>

#include "engine/model/resource.hpp"

namespace fabric::providers {

// In Resource::binding: a list of those keys that are to go from this resource, and that it must
// not put back: another resource of the node sets them, or goes too and puts them back. Left out
// where there is none.
inline constexpr std::string_view kTakenOver = "taken_over";

// Adds kTakenOver, and lets an orphan go after the resources that take over from it: only its file
// has the values from before fabric. Of orphans that share a key the first one in order of address
// puts it back.
void hand_over_kernel_parameters(std::vector<Resource>& resources);

}  // namespace fabric::providers
