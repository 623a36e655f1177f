// SPDX-License-Identifier: Apache-2.0
// OpenSM's partitions file as OpenSM reads it (E-opensm-partitions): one mistake makes the whole
// file count as missing.
#pragma once

#include <optional>
#include <string>

#include "engine/lab/machine/partitions.hpp"

namespace fabric::lab {

// nullopt: there is no file; the result is then OpenSM's default.
PartitionRules partition_rules(const std::optional<std::string>& text);

}  // namespace fabric::lab
