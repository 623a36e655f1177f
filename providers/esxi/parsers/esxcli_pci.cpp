// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/parsers/esxcli_pci.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esxi/parsers/esxcli_blocks.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

// "0x15b3"
Result<std::uint32_t> id_of(const EsxcliRow& row, std::string_view key) {
  std::string_view text = row.cell(key);
  const std::string_view shown = text;
  if (text.starts_with("0x")) text.remove_prefix(2);
  const auto number = parse_unsigned(text, 16);
  if (!number || *number > 0xffff)
    return error_at(row.line, fmt::format("'{}' is no number: '{}'", key, shown));
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

Result<std::vector<EsxPciFunction>> parse_esxcli_pci_list(std::string_view text) {
  std::vector<EsxPciFunction> functions;
  const auto rows = FABRIC_TRY(
      read_esxcli_blocks(text, {"address", "vendorid", "deviceid", "deviceclass", "currentowner"}));
  if (rows.empty()) return error_at(1, "no PCI function");
  for (const EsxcliRow& row : rows) {
    const Result<PciAddress> address = PciAddress::parse(row.cell("address"));
    if (!address)
      return error_at(row.line, fmt::format("no PCI address: '{}'", row.cell("address")));
    functions.push_back(
        {*address,
         FABRIC_TRY(id_of(row, "vendorid")),
         FABRIC_TRY(id_of(row, "deviceid")),
         FABRIC_TRY(id_of(row, "deviceclass")),
         std::string{row.cell("vmkernelname")},
         std::string{row.cell("modulename")},
         std::string{row.cell("currentowner")},
         row.line});
  }
  return functions;
}

Value to_value(const std::vector<EsxPciFunction>& functions) {
  List list;
  for (const EsxPciFunction& function : functions) {
    Map map{
        {"address", function.address.str()},
        {"vendor", fmt::format("{:04x}", function.vendor)},
        {"device", fmt::format("{:04x}", function.device)},
        {"class", fmt::format("{:04x}", function.device_class)},
        {"owner", function.owner}};
    if (!function.name.empty()) map.emplace("name", function.name);
    if (!function.module.empty()) map.emplace("module", function.module);
    list.emplace_back(std::move(map));
  }
  return Map{{"functions", std::move(list)}};
}

}  // namespace fabric::providers
