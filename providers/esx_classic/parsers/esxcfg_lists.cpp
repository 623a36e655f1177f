// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/parsers/esxcfg_lists.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/line_cursor.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

// "vmnic0  02:00.00 bnx2  Up  1000Mbps  Full  00:1b:78:aa:bb:cc 1500  Broadcom ..."
std::optional<EsxcfgNic> nic_of(std::string_view line) {
  LineCursor cursor{line};
  EsxcfgNic nic;
  nic.name = cursor.word();
  nic.pci = cursor.word();
  nic.driver = cursor.word();
  const std::string_view link = cursor.word();
  const std::string_view speed = cursor.word();
  const std::string_view duplex = cursor.word();
  const Result<MacAddress> mac = MacAddress::parse(cursor.word());
  const auto mtu = cursor.number();
  const bool has_link = link == "Up" || link == "Down";
  if (!has_link || !speed.ends_with("Mbps") || duplex.empty() || !mac || !mtu) return std::nullopt;
  nic.up = link == "Up";
  nic.mac = mac->str();
  nic.mtu = *mtu;
  return nic;
}

bool is_heading(std::string_view line, std::string_view first) {
  return LineCursor{line}.word() == first;
}

// "----Bulletin ID----- -----Installed----- -----Summary-----": the number of dashes differs.
bool is_bulletin_heading(std::string_view line) {
  return line.starts_with('-') && line.find("Bulletin ID-") != std::string_view::npos;
}

std::optional<PciNumbers> numbers_of(std::string_view line) {
  LineCursor cursor{line};
  const std::string_view written = cursor.word();
  const bool has_domain = std::count(written.begin(), written.end(), ':') == 2;
  const Result<PciAddress> address =
      PciAddress::parse(has_domain ? std::string{written} : "0000:" + std::string{written});
  if (!address) return std::nullopt;
  cursor.take("Class");
  const auto device_class = cursor.hexadecimal();
  if (!device_class || !cursor.take(":")) return std::nullopt;
  const auto vendor = cursor.hexadecimal();
  if (!vendor || !cursor.take(":")) return std::nullopt;
  const auto device = cursor.hexadecimal();
  constexpr std::uint64_t kLargest = 0xffff;
  if (!device || *device_class > kLargest || *vendor > kLargest || *device > kLargest)
    return std::nullopt;
  return PciNumbers{
      *address,
      static_cast<std::uint32_t>(*device_class),
      static_cast<std::uint32_t>(*vendor),
      static_cast<std::uint32_t>(*device),
      1};
}

}  // namespace

Result<std::vector<EsxcfgNic>> parse_esxcfg_nics(std::string_view text) {
  std::vector<EsxcfgNic> nics;
  bool in_table = false;
  std::size_t number = 0;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    if (line.empty()) continue;
    if (!in_table) {
      if (!is_heading(line, "Name"))
        return error_at(
            number, fmt::format("expected the heading 'Name PCI ...', found '{}'", line));
      in_table = true;
      continue;
    }
    std::optional<EsxcfgNic> nic = nic_of(line);
    if (!nic) return error_at(number, fmt::format("no NIC: '{}'", line));
    nic->line = number;
    nics.push_back(*std::move(nic));
  }
  if (!in_table) return error_at(1, "no heading 'Name PCI ...'");
  return nics;
}

Value to_value(const std::vector<EsxcfgNic>& nics) {
  List list;
  for (const EsxcfgNic& nic : nics)
    list.emplace_back(
        Map{{"name", nic.name},
            {"pci", nic.pci},
            {"driver", nic.driver},
            {"up", nic.up},
            {"mac", nic.mac},
            {"mtu", nic.mtu}});
  return Map{{"nics", std::move(list)}};
}

Result<std::vector<EsxBulletin>> parse_esxupdate_query(std::string_view text) {
  std::vector<EsxBulletin> bulletins;
  bool in_table = false;
  std::size_t number = 0;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    if (line.empty()) continue;
    if (is_bulletin_heading(line)) {
      in_table = true;
      continue;
    }
    if (!in_table)
      return error_at(
          number, fmt::format("expected the heading 'Bulletin ID ...', found '{}'", line));
    LineCursor cursor{line};
    EsxBulletin bulletin{std::string{cursor.word()}, std::string{cursor.word()}, {}, number};
    bulletin.summary = trim(cursor.rest());
    bulletins.push_back(std::move(bulletin));
  }
  if (!in_table) return error_at(1, "no heading 'Bulletin ID ...'");
  return bulletins;
}

Value to_value(const std::vector<EsxBulletin>& bulletins) {
  List list;
  for (const EsxBulletin& bulletin : bulletins) {
    Map map{{"id", bulletin.id}};
    if (!bulletin.installed.empty()) map.emplace("installed", bulletin.installed);
    if (!bulletin.summary.empty()) map.emplace("summary", bulletin.summary);
    list.emplace_back(std::move(map));
  }
  return Map{{"bulletins", std::move(list)}};
}

Result<std::vector<std::string>> names_below(
    std::string_view text, std::initializer_list<std::string_view> headings) {
  std::vector<std::string> names;
  bool in_table = false;
  for (const std::string_view each : split_lines(text)) {
    const std::string_view line = trim(each);
    if (line.empty()) continue;
    if (in_table) {
      names.emplace_back(LineCursor{line}.word());
      continue;
    }
    in_table = std::ranges::any_of(
        headings, [&](std::string_view heading) { return is_heading(line, heading); });
  }
  if (!in_table) return error_at(1, "no heading");
  return names;
}

Result<std::vector<PciNumbers>> parse_lspci_numbers(std::string_view text) {
  std::vector<PciNumbers> functions;
  std::size_t number = 0;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    if (line.empty()) continue;
    auto function = numbers_of(line);
    if (!function) return error_at(number, fmt::format("no PCI function: '{}'", line));
    function->line = number;
    functions.push_back(*function);
  }
  if (functions.empty()) return error_at(1, "no PCI function");
  return functions;
}

Value to_value(const std::vector<PciNumbers>& functions) {
  List list;
  for (const PciNumbers& function : functions)
    list.emplace_back(
        Map{{"address", function.address.str()},
            {"class", fmt::format("{:04x}", function.device_class)},
            {"vendor", fmt::format("{:04x}", function.vendor)},
            {"device", fmt::format("{:04x}", function.device)}});
  return Map{{"functions", std::move(list)}};
}

Result<std::vector<PortType>> parse_port_types(std::string_view text) {
  std::vector<PortType> types;
  if (trim(text).empty()) return types;
  std::vector<std::uint32_t> numbers;
  for (const std::string_view item : split(text, ',')) {
    constexpr std::uint64_t kLargest = 255;
    const auto number = parse_unsigned(trim(item), 10);
    if (!number || *number > kLargest)
      return Error{ErrorCode::invalid, fmt::format("port_types: '{}' is no number", trim(item))};
    numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  constexpr std::size_t kTriplet = 3;
  if (numbers.size() % kTriplet != 0)
    return Error{
        ErrorCode::invalid,
        fmt::format("port_types: {} numbers are no triplets: '{}'", numbers.size(), text)};
  for (std::size_t at = 0; at < numbers.size(); at += kTriplet)
    types.push_back({numbers[at], numbers[at + 1], numbers[at + 2]});
  return types;
}

std::optional<std::uint32_t> type_of(
    const std::vector<PortType>& types, std::uint32_t bus, std::uint32_t port) {
  std::optional<std::uint32_t> type;
  for (const PortType& each : types) {
    if (each.bus == bus && each.port == port) type = each.type;
  }
  return type;
}

}  // namespace fabric::providers
