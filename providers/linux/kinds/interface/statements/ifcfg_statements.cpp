// SPDX-License-Identifier: Apache-2.0
// sysconfig.txt of initscripts and nm-settings-ifcfg-rh(5): ifcfg-*, route-*, rule-*.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"
#include "providers/linux/parsers/ifcfg_file.hpp"

namespace fabric::providers {

namespace {

Meaning without_server(const std::string& value) {
  return value.empty() || value == "none" || value == "static" ? Meaning{value} : std::nullopt;
}

Meaning ipoib_mode(const std::string& value) {
  return if_yes(value) ? "connected" : "datagram";
}

Meaning if_none(const std::string& value) {
  return value == "none" ? Meaning{value} : std::nullopt;
}

constexpr std::string_view kIdle =
    "DEVICE NAME UUID TYPE HWADDR MATCH_INTERFACE_NAME MATCH_PATH MATCH_DRIVER";

constexpr FileWord kWords[] = {
    {"ONBOOT", said::kNothing, if_yes},
    {"NM_CONTROLLED", said::kNothing, if_yes},
    {"USERCTL", said::kNothing, if_no},
    {"PEERDNS", said::kNothing, if_no},
    {"BOOTPROTO", said::kNothing, without_server},
    {"PROXY_METHOD", said::kNothing, if_none},
    {"BROWSER_ONLY", said::kNothing, if_no},
    {"DEFROUTE", said::kNothing, if_yes},
    {"IPV4_FAILURE_FATAL", said::kNothing, if_no},
    {"IPV6INIT", said::kNothing, if_no},
    {"IPV6_AUTOCONF", said::kNothing, if_no},
    {"IPV6_DEFROUTE", said::kNothing, if_yes},
    {"IPV6_FAILURE_FATAL", said::kNothing, if_no},
    {"GATEWAY", said::kGateway, as_written},
    {"IPV6_DEFAULTGW", said::kGateway, as_written},
    {"IPV6ADDR", said::kAddress, as_written},
    {"MTU", said::kMtu, as_written},
    {"MASTER", said::kMaster, as_written},
    {"SLAVE", said::kNothing, if_yes},
    {"BONDING_MASTER", said::kNothing, if_yes},
    {"VLAN", said::kNothing, if_yes},
    {"VLAN_ID", "id", as_written},
    {"PHYSDEV", "parent", as_written},
    {"PKEY", said::kNothing, if_yes},
    {"PKEY_ID", "pkey", pkey},
    {"CONNECTED_MODE", "ipoib_mode", ipoib_mode},
};

// "IPADDR1" of "IPADDR": its number, "1"; nullopt: another key.
std::optional<std::string> number_in(std::string_view key, std::string_view stem) {
  if (!key.starts_with(stem)) return std::nullopt;
  const std::string_view number = key.substr(stem.size());
  if (number.empty() || parse_integer(number)) return std::string{number};
  return std::nullopt;
}

// IPADDR, PREFIX and NETMASK of one number are one address.
void understand_address(FileStatement& statement, const IfcfgFile& file) {
  for (const char* stem : {"IPADDR", "PREFIX", "NETMASK"}) {
    const auto number = number_in(statement.key, stem);
    if (!number) continue;
    const std::string prefix = file.value("PREFIX" + *number);
    const std::string mask = file.value("NETMASK" + *number);
    statement.attribute = said::kAddress;
    statement.meaning = file.value("IPADDR" + *number) + prefix_of(prefix.empty() ? mask : prefix);
  }
}

void read_settings(
    std::vector<FileStatement>& all, const std::string& path, std::string_view content) {
  const IfcfgFile file = read_ifcfg(content);
  for (const IfcfgEntry& entry : file.entries) {
    FileStatement statement{path, entry.line, entry.key, entry.value};
    const bool is_list = entry.key == "BONDING_OPTS" || entry.key == "IPV6ADDR_SECONDARIES";
    for (const std::string_view word :
         is_list ? split_words(entry.value) : std::vector<std::string_view>{}) {
      FileStatement one = statement;
      const std::size_t equals = word.find('=');
      one.value = word;
      if (entry.key == "BONDING_OPTS" && equals != std::string_view::npos) {
        one.key = fmt::format("{}.{}", entry.key, word.substr(0, equals));
        one.value = word.substr(equals + 1);
        understand_bond(one, "BONDING_OPTS.");
      } else if (entry.key != "BONDING_OPTS") {
        one.attribute = said::kAddress;
        one.meaning = word;
      }
      all.push_back(std::move(one));
    }
    if (is_list) continue;
    understand(statement, kWords, kIdle);
    // The default without IPv6.
    const bool idle = entry.key.starts_with("IPV6_") && if_no(file.value("IPV6INIT"));
    if (idle || entry.value.empty()) statement.attribute = said::kNothing;
    understand_address(statement, file);
    all.push_back(std::move(statement));
  }
  // Network scripts source it, whatever it contains.
  add_unread_lines(all, path, content, 1, content.size());
}

// Lines of arguments of `ip route add` and `ip rule add`.
void read_lines(
    std::vector<FileStatement>& all,
    const std::string& path,
    std::string_view kind,
    std::string_view interface,
    std::string_view content) {
  std::size_t number = 0;
  for (const std::string_view raw : split_lines(content)) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    FileStatement statement{path, number, std::string{kind}, std::string{line}};
    if (kind.starts_with("route"))
      say_route_of(statement, fmt::format("ip route add {}", line), interface);
    all.push_back(std::move(statement));
  }
}

// Its name has that of the profile, which need not be the interface's.
void read_file(
    std::vector<FileStatement>& all,
    const std::string& interface,
    const std::string& path,
    std::string_view content) {
  const std::string_view name = std::string_view{path}.substr(path.rfind('/') + 1);
  const std::size_t dash = name.find('-');
  const std::string_view kind = name.substr(0, dash);
  if (kind == "ifcfg") return read_settings(all, path, content);
  read_lines(all, path, kind, interface, content);
}

}  // namespace

std::vector<FileStatement> ifcfg_statements(
    const LinkTarget& target, const ForeignEntry& entry, const FileTexts& files) {
  std::vector<FileStatement> all;
  read_file(all, target.name, entry.path, files.at(entry.path));
  // Files of routes go by the suffix of ifcfg-SUFFIX. Those with the interface's own name are
  // entries of their own, or are still read; those with another name are no longer read.
  constexpr std::string_view kStart = "ifcfg-";
  const std::size_t slash = entry.path.rfind('/') + 1;
  const std::string_view name = std::string_view{entry.path}.substr(slash);
  if (!name.starts_with(kStart) || name.substr(kStart.size()) == target.name) return all;
  for (const char* kind : {"route", "route6", "rule", "rule6"}) {
    const std::string path =
        fmt::format("{}{}-{}", entry.path.substr(0, slash), kind, name.substr(kStart.size()));
    const std::string* content = text_at(files, path);
    if (content != nullptr && !is_owned(*content)) read_file(all, target.name, path, *content);
  }
  return all;
}

}  // namespace fabric::providers
