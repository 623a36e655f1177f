// SPDX-License-Identifier: Apache-2.0
// `esxcli hardware pci list`: the PCI functions of an ESXi host, virtual ones too, and their
// owners.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/names.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct EsxPciFunction {
  PciAddress address;
  std::uint32_t vendor = 0, device = 0;  // 0x15b3, 0x1017
  std::uint32_t device_class = 0;        // 0x0200
  std::string name;                      // "vmnic5", "PF_0.202.0_VF_0"; "" = none
  std::string module;                    // "nmlx5_core", "pciPassthru"; "" = none
  std::string owner;                     // "VMkernel", "VM Passthru": of now
  std::size_t line = 1;

  bool is_passed_through() const { return owner == "VM Passthru"; }
};

// Fails with ErrorCode::invalid, "line N: ...".
Result<std::vector<EsxPciFunction>> parse_esxcli_pci_list(std::string_view text);
Value to_value(const std::vector<EsxPciFunction>& functions);

}  // namespace fabric::providers
