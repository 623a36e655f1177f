// SPDX-License-Identifier: Apache-2.0
// Partitions that a switch's own manager hands out.
#pragma once

#include <optional>

#include "engine/base/error.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/observation.hpp"
#include "providers/mlnx_os/kinds/lines.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"
#include "providers/mlnx_os/parsers/onyx_partitions.hpp"

namespace fabric::providers::onyx {

// The desired value where each of its partitions is there with this MTU, these members and no
// other; else those that are there. Partitions that the document does not name are foreign.
Reading partitions_reading(
    const NodeFacts& facts,
    const Result<Configuration>& running,
    const Resource& resource,
    const Value& desired);

// What is missing or too much in the partitions that the document names. An error, beginning with
// the address, where a member is not known.
std::optional<Error> type_partitions(
    Typed& typed,
    const NodeFacts& facts,
    const Result<Configuration>& running,
    const Resource& resource);

}  // namespace fabric::providers::onyx
