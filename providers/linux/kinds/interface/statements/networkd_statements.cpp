// SPDX-License-Identifier: Apache-2.0
// systemd.network(5) and systemd.netdev(5).

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"
#include "providers/linux/parsers/ini_file.hpp"

namespace fabric::providers {

namespace {

// "100ms", "1s", "0.1s", "1" (seconds): the spellings of systemd.time(7) that occur here.
Meaning milliseconds(const std::string& value) {
  std::string_view number = value;
  std::int64_t unit = 1000;
  if (number.ends_with("ms")) {
    number.remove_suffix(2);
    unit = 1;
  } else if (number.ends_with("s")) {
    number.remove_suffix(number.ends_with("sec") ? 3 : 1);
  }
  number = trim(number);
  const std::size_t dot = number.find('.');
  const auto whole = parse_integer(number.substr(0, dot));
  if (!whole) return std::nullopt;
  std::int64_t found = *whole * unit;
  std::int64_t weight = unit;
  for (const char digit :
       dot == std::string_view::npos ? "" : std::string{number.substr(dot + 1)}) {
    if (digit < '0' || digit > '9' || weight % 10 != 0) return std::nullopt;
    weight /= 10;
    found += weight * (digit - '0');
  }
  return fmt::format("{}", found);
}

// "9000", "9K" counts in 1024.
Meaning bytes(const std::string& value) {
  return parse_integer(value) ? Meaning{value} : std::nullopt;
}

// A port has an address of its own, which both leave.
Meaning its_own(const std::string& value) {
  return value == "persistent" || value == "none" ? Meaning{value} : std::nullopt;
}

constexpr std::string_view kIdle =
    "Match.Name Match.MACAddress Match.PermanentMACAddress Match.Path Match.Driver Match.Type "
    "Match.Kind Match.OriginalName NetDev.Name NetDev.Kind NetDev.Description Link.Description "
    "Link.NamePolicy Network.Description";

constexpr FileWord kWords[] = {
    {"NetDev.MTUBytes", said::kMtu, bytes},
    {"Bond.Mode", "mode", bond_mode},
    {"Bond.TransmitHashPolicy", "hash_policy", hash_policy},
    {"Bond.LACPTransmitRate", "lacp_rate", lacp_rate},
    {"Bond.MIIMonitorSec", "miimon", milliseconds},
    {"Bond.UpDelaySec", "updelay", milliseconds},
    {"Bond.DownDelaySec", "downdelay", milliseconds},
    {"Bond.MinLinks", "min_links", as_written},
    {"Bond.AdSelect", "ad_select", ad_select},
    {"Bond.FailOverMACPolicy", "fail_over_mac", fail_over_mac},
    {"VLAN.Id", "id", as_written},
    {"IPoIB.Mode", "ipoib_mode", as_written},
    {"IPoIB.PartitionKey", "pkey", pkey},
    {"Link.MTUBytes", said::kMtu, bytes},
    {"Link.Name", said::kName, as_written},
    {"Link.MACAddressPolicy", said::kNothing, its_own},
    {"Link.SR-IOVVirtualFunctions", said::kFunctions, as_written},
    {"Network.DHCP", said::kNothing, if_no},
    {"Network.Bond", said::kMaster, as_written},
    {"Network.PrimarySlave", said::kNothing, if_no},
    {"Network.PrimarySlave", said::kPrimarySlave, if_yes},
    {"Network.VLAN", "vlan", as_written},
    {"Network.Address", said::kAddress, as_written},
    {"Network.Gateway", said::kGateway, as_written},
    {"Address.Address", said::kAddress, as_written},
};

// Each is a thing of its own, and stands as often as there are things.
bool stands_often(std::string_view section) {
  return section == "Route" || section == "RoutingPolicyRule" || section == "Address" ||
         section == "NextHop" || section == "Neighbor";
}

// [Route] with nothing but its destination and its gateway.
void understand_route(std::vector<FileStatement>& section) {
  std::string to;
  std::string via;
  for (const FileStatement& each : section) {
    if (each.key == "Route.Destination") to = each.value;
    if (each.key == "Route.Gateway") via = each.value;
    if (each.key != "Route.Destination" && each.key != "Route.Gateway") return;
  }
  if (via.empty() || via.starts_with('_')) return;
  for (FileStatement& each : section)
    say_route(each, to, via);
}

void take_section(std::vector<FileStatement>& all, std::vector<FileStatement>& section) {
  if (section.empty()) return;
  const bool often = stands_often(section.front().key.substr(0, section.front().key.find('.')));
  std::string context;
  for (const FileStatement& each : section)
    context += fmt::format("{}={}\n", each.key, each.value);
  // [Address] says more than an address.
  const bool more = section.front().key.starts_with("Address.") && section.size() > 1;
  for (FileStatement& each : section) {
    if (!more) understand(each, kWords, kIdle);
    if (often) each.context = context;
  }
  if (section.front().key.starts_with("Route.")) understand_route(section);
  all.insert(all.end(), section.begin(), section.end());
  section.clear();
}

void read_file(std::vector<FileStatement>& all, const std::string& path, std::string_view content) {
  const IniFile file = read_ini(content, IniDialect::systemd);
  std::vector<FileStatement> section;
  std::size_t next = 0;  // the section after the one that is read
  for (const IniEntry& entry : file.entries) {
    for (; next < file.sections.size() && file.sections[next].line <= entry.line; ++next)
      take_section(all, section);
    section.push_back(
        {path, entry.line, fmt::format("{}.{}", entry.section, entry.key), entry.value});
  }
  take_section(all, section);
}

}  // namespace

std::vector<FileStatement> networkd_statements(const ForeignEntry& entry, const FileTexts& files) {
  std::vector<FileStatement> all;
  read_file(all, entry.path, files.at(entry.path));
  // Drop-ins of an adopted file belong to it, in any folder.
  const std::string folder = entry.path.substr(entry.path.rfind('/') + 1) + ".d/";
  for (const auto& [path, content] : files) {
    const std::size_t at = path.find("/systemd/network/" + folder);
    if (at != std::string::npos && path.ends_with(".conf") && !is_owned(content))
      read_file(all, path, content);
  }
  return all;
}

}  // namespace fabric::providers
