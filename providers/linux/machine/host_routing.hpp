// SPDX-License-Identifier: Apache-2.0
// How a Linux host sends, by what the probes of its interfaces and kernel parameters printed.
#pragma once

#include <optional>

#include "engine/platform/facts.hpp"
#include "engine/platform/host_routing.hpp"

namespace fabric::platform {

// Nullopt where the addresses were not read as JSON. Where the routes were not, every address is
// taken to have that of its subnet, in order of the interfaces.
std::optional<HostRouting> host_routing_of(const NodeFacts& facts);

}  // namespace fabric::platform
