// SPDX-License-Identifier: Apache-2.0
// Partitions that a switch's own subnet manager hands out.
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

// The desired value if each of its partitions exists with this MTU and exactly these members;
// otherwise the partitions that exist. Partitions that the document does not name are foreign.
Reading partitions_reading(
    const NodeFacts& facts,
    const Result<Configuration>& running,
    const Resource& resource,
    const Value& desired);

// Types the lines that give the document's partitions exactly their members and MTU.
// Returns an error, beginning with the address, if a member's GUID is not known.
std::optional<Error> type_partitions(
    Typed& typed,
    const NodeFacts& facts,
    const Result<Configuration>& running,
    const Resource& resource);

}  // namespace fabric::providers::onyx
