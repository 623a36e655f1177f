// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/parsers/esxcli_network.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esx/parsers/esxcli_table.hpp"
#include "providers/esxi/parsers/esxcli_lists.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

Result<std::int64_t> number_of(const EsxcliRow& row, std::string_view column) {
  const std::string_view cell = row.cell(column);
  const auto number = parse_unsigned(cell, 10);
  if (!number || *number > INT32_MAX)
    return error_at(row.line, fmt::format("'{}' is no number: '{}'", column, cell));
  return static_cast<std::int64_t>(*number);
}

// "vmnic0, vmnic4"
std::vector<std::string> list_of(std::string_view cell) {
  std::vector<std::string> names;
  for (const std::string_view part : split(cell, ',')) {
    if (!trim(part).empty()) names.emplace_back(trim(part));
  }
  return names;
}

List values_of(const std::vector<std::string>& names) {
  return List{names.begin(), names.end()};
}

// "0000:4b:11.0" from itself or from "00000:075:17.0"; nullopt for a text that is no address.
std::optional<std::string> function_address(std::string_view text) {
  constexpr std::size_t kDecimalDomain = 5;
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 3) return std::nullopt;
  const std::size_t point = parts[2].find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const int base = parts[0].size() == kDecimalDomain ? 10 : 16;
  const auto domain = parse_unsigned(parts[0], base);
  const auto bus = parse_unsigned(parts[1], base);
  const auto slot = parse_unsigned(parts[2].substr(0, point), base);
  const auto function = parse_unsigned(parts[2].substr(point + 1), 10);
  if (!domain || !bus || !slot || !function || *domain > 0xffff || *bus > 0xff || *slot > 0x1f ||
      *function > 7)
    return std::nullopt;
  return fmt::format("{:04x}:{:02x}:{:02x}.{}", *domain, *bus, *slot, *function);
}

std::optional<EsxVirtualFunction> function_of(std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  if (words.size() != 4 || (words[1] != "true" && words[1] != "false")) return std::nullopt;
  const auto number = parse_unsigned(words[0], 10);
  const auto address = function_address(words[2]);
  const bool has_owner = words[3] != "-";
  if (!number || *number > INT32_MAX || !address || (has_owner && !parse_unsigned(words[3], 10)))
    return std::nullopt;
  EsxVirtualFunction function;
  function.number = static_cast<std::int64_t>(*number);
  function.active = words[1] == "true";
  function.pci = *address;
  if (has_owner) function.owner = words[3];
  return function;
}

}  // namespace

Result<std::vector<EsxNic>> parse_esxcli_nic_list(std::string_view text) {
  std::vector<EsxNic> nics;
  const auto rows = FABRIC_TRY(
      read_esxcli_rows(text, {"name", "pcidevice", "driver", "macaddress", "mtu", "speed"}));
  for (const EsxcliRow& row : rows) {
    EsxNic& nic = nics.emplace_back();
    nic.name = row.cell("name");
    nic.pci = row.cell("pcidevice");
    nic.driver = row.cell("driver");
    nic.mac = row.cell("macaddress");
    nic.admin_status = row.cell("adminstatus");
    nic.link_status = row.cell(row.cells.contains("linkstatus") ? "linkstatus" : "link");
    nic.speed_mbps = FABRIC_TRY(number_of(row, "speed"));
    nic.mtu = FABRIC_TRY(number_of(row, "mtu"));
    nic.description = row.cell("description");
    nic.line = row.line;
    if (nic.name.empty() || nic.pci.empty() || nic.link_status.empty())
      return error_at(row.line, "a NIC without name, address or link");
  }
  return nics;
}

Value to_value(const std::vector<EsxNic>& nics) {
  List list;
  for (const EsxNic& nic : nics) {
    Map map{
        {"name", nic.name},
        {"pci", nic.pci},
        {"driver", nic.driver},
        {"mac", nic.mac},
        {"link", nic.link_status},
        {"speed_mbps", nic.speed_mbps},
        {"mtu", nic.mtu},
        {"description", nic.description}};
    if (!nic.admin_status.empty()) map.emplace("admin", nic.admin_status);
    list.emplace_back(std::move(map));
  }
  return Map{{"nics", std::move(list)}};
}

Result<std::vector<EsxRdmaDevice>> parse_esxcli_rdma_list(std::string_view text) {
  std::vector<EsxRdmaDevice> devices;
  if (trim(text).empty()) return devices;
  const auto rows = FABRIC_TRY(read_esxcli_rows(text, {"name", "driver", "state", "paireduplink"}));
  for (const EsxcliRow& row : rows) {
    EsxRdmaDevice& device = devices.emplace_back();
    device.name = row.cell("name");
    device.driver = row.cell("driver");
    device.state = row.cell("state");
    device.uplink = row.cell("paireduplink");
    device.speed = row.cell("speed");
    device.line = row.line;
    if (device.name.empty() || device.driver.empty())
      return error_at(row.line, "an RDMA device without name or driver");
  }
  return devices;
}

Value to_value(const std::vector<EsxRdmaDevice>& devices) {
  List list;
  for (const EsxRdmaDevice& device : devices) {
    list.emplace_back(
        Map{{"name", device.name},
            {"driver", device.driver},
            {"state", device.state},
            {"uplink", device.uplink},
            {"speed", device.speed}});
  }
  return Map{{"rdma_devices", std::move(list)}};
}

Result<std::vector<EsxVirtualFunction>> parse_esxcli_vf_list(std::string_view text) {
  constexpr std::string_view kNone = "There is no SRIOV Nic with name ";
  std::vector<EsxVirtualFunction> functions;
  std::size_t number = 0;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    const bool heading =
        line.starts_with("VF ID ") || line.find_first_not_of("- ") == std::string_view::npos;
    if (heading || (functions.empty() && line.starts_with(kNone))) continue;
    auto function = function_of(line);
    if (!function)
      return error_at(number, fmt::format("expected ID ACTIVE ADDRESS OWNER, found '{}'", line));
    function->line = number;
    functions.push_back(*std::move(function));
  }
  return functions;
}

Value to_value(const std::vector<EsxVirtualFunction>& functions) {
  List list;
  for (const EsxVirtualFunction& function : functions) {
    Map map{{"number", function.number}, {"active", function.active}, {"pci", function.pci}};
    if (!function.owner.empty()) map.emplace("owner", function.owner);
    list.emplace_back(std::move(map));
  }
  return Map{{"functions", std::move(list)}};
}

Result<std::vector<EsxVswitch>> parse_esxcli_vswitch_list(std::string_view text) {
  std::vector<EsxVswitch> switches;
  const auto rows = FABRIC_TRY(read_esxcli_blocks(text, {"name", "mtu", "uplinks", "portgroups"}));
  for (const EsxcliRow& row : rows) {
    EsxVswitch& each = switches.emplace_back();
    each.name = row.cell("name");
    each.mtu = FABRIC_TRY(number_of(row, "mtu"));
    each.uplinks = list_of(row.cell("uplinks"));
    each.port_groups = list_of(row.cell("portgroups"));
    each.cdp = row.cell("cdpstatus");
    each.line = row.line;
  }
  return switches;
}

// The lines of a port are below those of its switch, indented, and have names of their own
// (E-esxi-dvs-list).
Result<std::vector<EsxVswitch>> parse_esxcli_dvs_list(std::string_view text) {
  std::string own;
  std::optional<std::size_t> depth;
  for (const std::string_view line : split_lines(text)) {
    const std::size_t indent = line.find_first_not_of(" \t");
    if (indent == std::string_view::npos) {
      own += '\n';
      continue;
    }
    if (indent == 0) depth.reset();
    if (indent > 0 && !depth) depth = indent;
    const bool is_of_port = depth && indent > *depth;
    const bool begins_port = trim(line) == "DVPort:";
    if (!is_of_port && !begins_port) own += line;
    own += '\n';
  }
  std::vector<EsxVswitch> switches;
  const auto rows = FABRIC_TRY(read_esxcli_blocks(own, {"name", "mtu", "uplinks"}));
  for (const EsxcliRow& row : rows) {
    EsxVswitch& each = switches.emplace_back();
    each.name = row.cell("name");
    each.mtu = FABRIC_TRY(number_of(row, "mtu"));
    each.uplinks = list_of(row.cell("uplinks"));
    each.cdp = row.cell("cdpstatus");
    each.line = row.line;
  }
  return switches;
}

Value to_value(const std::vector<EsxVswitch>& switches) {
  List list;
  for (const EsxVswitch& each : switches) {
    Map map{
        {"name", each.name},
        {"mtu", each.mtu},
        {"uplinks", values_of(each.uplinks)},
        {"port_groups", values_of(each.port_groups)}};
    if (!each.cdp.empty()) map.emplace("cdp", each.cdp);
    list.emplace_back(std::move(map));
  }
  return Map{{"vswitches", std::move(list)}};
}

}  // namespace fabric::providers
