// SPDX-License-Identifier: Apache-2.0
// Inventory: the cards of a node as the kernel of Linux shows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"
#include "providers/cards/card.hpp"

namespace fabric::providers {

Probe pci_probe();
// The cards in order of PCI address; empty if the probe did not run.
const std::vector<Card>& inventory_of(const NodeFacts& facts);

// Vital product data of a PCI device, as hex digits (`od -An -v -tx1`).

struct ProductData {
  std::string part_number;  // "" = not there
  std::string serial;
  // True for a device by which a host manages its NVSwitches, no card (E-nvswitch-ports).
  bool manages_nvswitches = false;
};
// The data that can be read; a damaged image gives less, never an error.
ProductData product_data(std::string_view hex);

}  // namespace fabric::providers
