// SPDX-License-Identifier: Apache-2.0
// Finds a default route of the node by another interface than the one that shall get a gateway.
#pragma once

#include <span>

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::providers {

// Warns (rule `second-default-route`) per resource and family, but not of a route by one of
// `wanted` or by an interface with files of fabric: there the gateway moves, or stays.
void report_second_default_routes(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics);

}  // namespace fabric::providers
