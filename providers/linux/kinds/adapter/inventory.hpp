// SPDX-License-Identifier: Apache-2.0
// Inventory: the cards of a node as the kernel of Linux shows them.
#pragma once

#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"
#include "providers/cards/card.hpp"

namespace fabric::providers {

Probe pci_probe();
// In order of PCI address; empty if the probe did not run.
const std::vector<Card>& inventory_of(const NodeFacts& facts);

}  // namespace fabric::providers
