// SPDX-License-Identifier: Apache-2.0
// The configuration that FRR gives an interface whenever it starts: addresses set by zebra, and
// routing protocols beside `transit: static`.
#pragma once

#include <vector>

#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"

namespace fabric::providers {

// Entries that can't be adopted, each with its reason; without the document's addresses.
std::vector<ForeignEntry> frr_claims(
    const LinkTarget& target, const LinkConfig& wanted, const FileTexts& files);

}  // namespace fabric::providers
