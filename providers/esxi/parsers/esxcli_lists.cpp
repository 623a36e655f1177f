// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/parsers/esxcli_lists.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/lists.hpp"
#include "providers/esx/parsers/esxcli_keyvalue.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

std::string cell_name(std::string_view key) {
  std::string name = to_lower(key);
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  return name;
}

Result<std::monostate> read_line(
    std::string_view line, std::size_t number, std::vector<EsxcliRow>& rows) {
  if (!line.starts_with(' ') && !line.starts_with('\t')) {
    EsxcliRow& row = rows.emplace_back();
    row.line = number;
    row.cells.emplace("", trim(line));
    return std::monostate{};
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || rows.empty() || trim(line.substr(0, colon)).empty())
    return error_at(number, fmt::format("expected Key: Value, found '{}'", trim(line)));
  const std::string_view key = trim(line.substr(0, colon));
  const bool added = rows.back().cells.emplace(cell_name(key), trim(line.substr(colon + 1))).second;
  if (!added) return error_at(number, fmt::format("'{}' is there twice", key));
  return std::monostate{};
}

}  // namespace

Result<std::vector<EsxcliRow>> read_esxcli_blocks(
    std::string_view text, const std::vector<std::string>& required) {
  std::vector<EsxcliRow> rows;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (!trim(line).empty()) FABRIC_TRY(read_line(line, number, rows));
  }
  for (const EsxcliRow& row : rows) {
    for (const std::string& key : required) {
      if (!row.cells.contains(key))
        return error_at(row.line, fmt::format("'{}' has no line '{}'", row.cell(""), key));
    }
  }
  return rows;
}

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

namespace {

constexpr std::array<std::string_view, 4> kAcceptance = {
    "VMwareCertified", "VMwareAccepted", "PartnerSupported", "CommunitySupported"};

bool is_acceptance(std::string_view word) {
  return std::find(kAcceptance.begin(), kAcceptance.end(), word) != kAcceptance.end();
}

// "2024-05-14"
bool is_date(std::string_view word) {
  const std::vector<std::string_view> parts = split(word, '-');
  return parts.size() == 3 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           return parse_unsigned(part, 10).has_value();
         });
}

std::string words_of(const std::vector<std::string_view>& words, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t index = from; index < to; ++index) {
    text += index == from ? "" : " ";
    text += words[index];
  }
  return text;
}

// No cell of this table is empty, and the acceptance level is one of four words, so a row is read
// around that, with or without the heading.
Result<EsxVib> read_vib(std::string_view line, std::size_t number) {
  const std::vector<std::string_view> words = split_words(line);
  const auto found = std::find_if(words.begin(), words.end(), is_acceptance);
  const auto level = static_cast<std::size_t>(found - words.begin());
  const bool has_date = level + 1 < words.size() && is_date(words[level + 1]);
  if (found == words.end() || level < 3 || !has_date)
    return error_at(
        number, fmt::format("expected NAME VERSION VENDOR LEVEL DATE, found '{}'", trim(line)));
  EsxVib vib;
  vib.name = words[0];
  vib.version = words[1];
  vib.vendor = words_of(words, 2, level);
  vib.acceptance = *found;
  vib.installed = words[level + 1];
  vib.platforms = words_of(words, level + 2, words.size());
  vib.line = number;
  return vib;
}

bool is_heading(std::string_view line) {
  return (line.starts_with("Name ") && line.find("Acceptance Level") != std::string_view::npos) ||
         line.find_first_not_of("- ") == std::string_view::npos;
}

Result<std::vector<EsxVib>> read_vib_table(std::string_view text) {
  std::vector<EsxVib> vibs;
  std::size_t number = 0;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    if (!line.empty() && !is_heading(line)) vibs.push_back(FABRIC_TRY(read_vib(line, number)));
  }
  return vibs;
}

Result<std::vector<EsxVib>> read_vib_rows(std::string_view text) {
  std::vector<EsxVib> vibs;
  const auto rows =
      FABRIC_TRY(read_esxcli_rows(text, {"name", "version", "vendor", "acceptancelevel"}));
  for (const EsxcliRow& row : rows) {
    EsxVib& vib = vibs.emplace_back();
    vib.name = row.cell("name");
    vib.version = row.cell("version");
    vib.vendor = row.cell("vendor");
    vib.acceptance = row.cell("acceptancelevel");
    vib.installed = row.cell("installdate");
    vib.platforms = row.cell("platforms");
    vib.line = row.line;
    if (vib.name.empty() || vib.version.empty())
      return error_at(row.line, "a package without name or version");
  }
  return vibs;
}

}  // namespace

Result<std::vector<EsxVib>> parse_esxcli_vib_list(std::string_view text) {
  const std::string_view begin = trim(text);
  const std::string_view heading = begin.substr(0, begin.find('\n'));
  const bool is_formatted = is_esxcli_keyvalue(begin) || begin.starts_with('[') ||
                            begin.starts_with('{') ||
                            heading.find("AcceptanceLevel,") != std::string_view::npos;
  auto vibs = FABRIC_TRY(is_formatted ? read_vib_rows(text) : read_vib_table(text));
  if (vibs.empty()) return error_at(1, "no package");
  return vibs;
}

Value to_value(const std::vector<EsxVib>& vibs) {
  List list;
  for (const EsxVib& vib : vibs) {
    Map map{
        {"name", vib.name},
        {"version", vib.version},
        {"vendor", vib.vendor},
        {"acceptance", vib.acceptance}};
    put(map, "installed", vib.installed);
    put(map, "platforms", vib.platforms);
    list.emplace_back(std::move(map));
  }
  return Map{{"vibs", std::move(list)}};
}

Result<std::vector<EsxModuleParameter>> parse_esxcli_module_parameters(std::string_view text) {
  std::vector<EsxModuleParameter> parameters;
  const auto rows = FABRIC_TRY(read_esxcli_rows(text, {"name", "type", "value", "description"}));
  for (const EsxcliRow& row : rows) {
    EsxModuleParameter& parameter = parameters.emplace_back();
    parameter.name = row.cell("name");
    parameter.type = row.cell("type");
    parameter.value = row.cell("value");
    parameter.description = row.cell("description");
    parameter.line = row.line;
    if (parameter.name.empty() || parameter.type.empty())
      return error_at(row.line, "a parameter without name or type");
  }
  return parameters;
}

Value to_value(const std::vector<EsxModuleParameter>& parameters) {
  List list;
  for (const EsxModuleParameter& parameter : parameters) {
    Map map{{"name", parameter.name}, {"type", parameter.type}};
    put(map, "value", parameter.value);
    put(map, "description", parameter.description);
    list.emplace_back(std::move(map));
  }
  return Map{{"parameters", std::move(list)}};
}

}  // namespace fabric::providers
