// SPDX-License-Identifier: Apache-2.0
// netplan(5).
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/interface/backends/netplan_document.hpp"
#include "providers/linux/kinds/interface/statements/file_statement.hpp"

namespace fabric::providers {

namespace {

// "100" counts in milliseconds; "100ms", "1s".
Meaning milliseconds(const std::string& value) {
  std::string_view number = value;
  const bool in_ms = number.ends_with("ms");
  const bool in_s = !in_ms && number.ends_with("s");
  if (in_ms || in_s) number.remove_suffix(in_ms ? 2 : 1);
  const auto count = parse_integer(trim(number));
  if (!count) return std::nullopt;
  return fmt::format("{}", in_s ? *count * 1000 : *count);
}

constexpr std::string_view kIdle = "set-name match.name match.macaddress match.driver";

constexpr FileWord kWords[] = {
    {"dhcp4", said::kNothing, if_no},
    {"dhcp6", said::kNothing, if_no},
    {"accept-ra", said::kNothing, if_no},
    {"optional", said::kNothing, if_yes},
    {"link-local", said::kNothing, if_empty},
    {"mtu", said::kMtu, as_written},
    {"infiniband-mode", "ipoib_mode", as_written},
    {"addresses", said::kAddress, as_written},
    {"gateway4", said::kGateway, as_written},
    {"gateway6", said::kGateway, as_written},
    {"interfaces", said::kSlave, as_written},
    {"id", "id", as_written},
    {"link", "parent", as_written},
    {"virtual-function-count", said::kFunctions, as_written},
    {"parameters.mode", "mode", bond_mode},
    {"parameters.lacp-rate", "lacp_rate", lacp_rate},
    {"parameters.mii-monitor-interval", "miimon", milliseconds},
    {"parameters.min-links", "min_links", as_written},
    {"parameters.transmit-hash-policy", "hash_policy", hash_policy},
    {"parameters.ad-select", "ad_select", ad_select},
    {"parameters.fail-over-mac-policy", "fail_over_mac", fail_over_mac},
    {"parameters.up-delay", "updelay", milliseconds},
    {"parameters.down-delay", "downdelay", milliseconds},
    {"parameters.primary", "primary", as_written},
};

// "{to: 10.9.0.0/16, via: 10.99.0.254}"
std::string inline_text(const yaml::Node& node) {
  std::vector<std::string> parts;
  if (node.is_scalar()) return node.text;
  for (const yaml::Entry& each : node.entries)
    parts.push_back(fmt::format("{}: {}", each.key, inline_text(each.value)));
  for (const yaml::Node& each : node.items)
    parts.push_back(inline_text(each));
  return fmt::format(
      "{}{}{}", node.is_mapping() ? "{" : "[", join(parts, ", "), node.is_mapping() ? "}" : "]");
}

class NetplanStatementsReader {
 public:
  NetplanStatementsReader(const ForeignEntry& entry, const NetplanDocument& document)
      : entry_{entry}, document_{document} {}

  void add(const std::string& key, const yaml::Node& node, const SourceRange& place) {
    FileStatement statement{entry_.path, document_.line(place), key, inline_text(node)};
    if (key == "routes" && node.is_mapping()) {
      understand_route(statement, node);
    } else if (node.is_scalar() || node.entries.size() + node.items.size() == 0) {
      understand(statement, kWords, kIdle);
    }
    all_.push_back(std::move(statement));
  }

  void add_all(const std::string& before, const yaml::Node& mapping) {
    for (const yaml::Entry& each : mapping.entries) {
      const std::string key = before + each.key;
      if (each.value.is_mapping() && !each.value.entries.empty()) {
        add_all(key + ".", each.value);
      } else if (!each.value.items.empty()) {
        for (const yaml::Node& item : each.value.items) {
          if (key == "addresses" && item.is_mapping()) {
            add_addresses(item);
          } else {
            add(key, item, item.range);
          }
        }
      } else {
        add(key, each.value, each.key_range);
      }
    }
  }

  // "10.99.0.2/24: {label: storage}"
  void add_addresses(const yaml::Node& item) {
    for (const yaml::Entry& each : item.entries) {
      FileStatement statement{entry_.path, document_.line(each.key_range), "addresses", each.key};
      understand(statement, kWords, kIdle);
      all_.push_back(std::move(statement));
      add_all("addresses.", each.value);
    }
  }

  std::vector<FileStatement> take() { return std::move(all_); }

 private:
  static void understand_route(FileStatement& statement, const yaml::Node& route) {
    const std::string to = netplan_text(route, "to");
    const std::string via = netplan_text(route, "via");
    if (via.empty() || to.empty() || route.entries.size() != 2) return;
    say_route(statement, to, via);
  }

  const ForeignEntry& entry_;
  const NetplanDocument& document_;
  std::vector<FileStatement> all_;
};

}  // namespace

std::vector<FileStatement> netplan_statements(
    const LinkTarget& target, const ForeignEntry& entry, std::string_view content) {
  const NetplanDocument document{entry.path, content};
  NetplanStatementsReader reader{entry, document};
  for (const yaml::Entry& each : document.entries(netplan_section(target))) {
    const std::size_t line = document.line(each.key_range);
    if (entry.last_line == 0 || line == entry.line) reader.add_all("", each.value);
  }
  std::vector<FileStatement> all = reader.take();
  std::size_t number = 0;
  for (const std::string_view line : split_lines(content)) {
    ++number;
    const bool within = entry.last_line == 0 || (number >= entry.line && number <= entry.last_line);
    if (within && line.ends_with(kHiddenLine))
      all.push_back({entry.path, number, "line", "(hidden)"});
  }
  return all;
}

}  // namespace fabric::providers
