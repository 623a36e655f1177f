// SPDX-License-Identifier: Apache-2.0
// Lists that esxcli prints about a driver on ESXi: its package and its parameters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/names.hpp"
#include "engine/value/value.hpp"
#include "providers/esx/parsers/esxcli_table.hpp"

namespace fabric::providers {

struct EsxVib {
  std::string name;        // "nmlx5-core"
  std::string version;     // "4.23.0.66-2vmw.802.0.0.22380479"
  std::string vendor;      // "VMW"
  std::string acceptance;  // "VMwareCertified", "VMwareAccepted", "PartnerSupported", ...
  std::string installed;   // "2024-05-14"; "" = unknown
  std::string platforms;   // "host"; "" = unknown (before ESXi 8)
  std::size_t line = 1;
};

// `esxcli software vib list`, as a table, whole or some of its rows as grep leaves them, csv or
// json. Fails with ErrorCode::invalid, "line N: ...", on a row of another shape and on a text
// without any.
Result<std::vector<EsxVib>> parse_esxcli_vib_list(std::string_view text);
Value to_value(const std::vector<EsxVib>& vibs);

struct EsxModuleParameter {
  std::string name;         // "max_vfs"
  std::string type;         // "uint", "array of uint", "bool", ...
  std::string value;        // as the next load of the driver will have it; "" = its default
  std::string description;  // lines as printed
  std::size_t line = 1;
};

// `esxcli system module parameters list -m MODULE`, as a table, csv or json. Fails with
// ErrorCode::invalid, "line N: ...". A driver without parameters has none.
Result<std::vector<EsxModuleParameter>> parse_esxcli_module_parameters(std::string_view text);
Value to_value(const std::vector<EsxModuleParameter>& parameters);

// `esxcli hardware pci list`: the PCI functions of an ESXi host, virtual ones too, and their
// owners.
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

// Lists that esxcli prints as blocks: a name at the left, then its lines "   Key: Value".
// One row for each block, in order, its cells named as read_esxcli_rows() names them; the name
// above a block is its cell "". A key is the whole text before the first colon: "Device ID" is not
// "SubDevice ID". Fails with ErrorCode::invalid, "line N: ...", on a line of another shape, a key
// that is there twice and a block without a key of `required`.
Result<std::vector<EsxcliRow>> read_esxcli_blocks(
    std::string_view text, const std::vector<std::string>& required);

}  // namespace fabric::providers
