// SPDX-License-Identifier: Apache-2.0
// What FRR does at an interface whenever it starts: addresses that zebra sets, and routing
// protocols that `transit: static` would work beside.
#pragma once

#include <vector>

#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"

namespace fabric::providers {

// Each with a reason why it can't be taken over. An address that the document has, too, is none.
std::vector<ForeignEntry> frr_claims(
    const LinkTarget& target, const LinkConfig& wanted, const FileTexts& files);

}  // namespace fabric::providers
