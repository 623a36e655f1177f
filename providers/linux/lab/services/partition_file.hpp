// SPDX-License-Identifier: Apache-2.0
// OpenSM's partitions file as OpenSM takes it (E-opensm-partitions): for one mistake the whole file
// counts as if it were not there.
#pragma once

#include <optional>
#include <string>

#include "engine/lab/machine/partitions.hpp"

namespace fabric::lab {

// nullopt: there is no file. What OpenSM does then is in the result too.
PartitionRules partition_rules(const std::optional<std::string>& text);

}  // namespace fabric::lab
