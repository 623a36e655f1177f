// SPDX-License-Identifier: Apache-2.0
// Lists that esxcli prints about a driver on ESXi: its package and its parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

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

}  // namespace fabric::providers
