// SPDX-License-Identifier: Apache-2.0
// Vital product data of a PCI device, as hex digits (`od -An -v -tx1`).
#pragma once

#include <string>
#include <string_view>

namespace fabric::providers {

struct ProductData {
  std::string part_number;  // "" = not there
  std::string serial;
  // No card of a fabric: by it a host manages the NVSwitches of its board (E-nvswitch-ports).
  bool manages_nvswitches = false;
};

// Everything that can be read; a damaged image gives less, never an error.
ProductData product_data(std::string_view hex);

}  // namespace fabric::providers
