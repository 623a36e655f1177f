// SPDX-License-Identifier: Apache-2.0
// The node has a default route already, by another interface than the one that shall get a gateway.
#pragma once

#include <span>

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::providers {

// A warning (rule `second-default-route`) per resource and family. One of `wanted`, or an interface
// that files of ours configure, may have the route now: then the gateway moves, or stays.
void report_second_default_routes(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics);

}  // namespace fabric::providers
