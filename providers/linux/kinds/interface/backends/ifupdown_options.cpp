// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/ifupdown_options.hpp"

#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers::ifupdown {

namespace {

// "echo 1 > /sys/..." to "1"
std::string_view echoed(std::string_view command, std::string_view to) {
  if (!command.starts_with(kMinLinks) || !command.ends_with(to)) return {};
  return command.substr(kMinLinks.size(), command.size() - kMinLinks.size() - to.size());
}

// ip route replace 10.9.0.0/16 via 10.30.0.254 dev $IFACE [metric 20] [table 4001] [src 10.41.0.1]
// ip route replace 10.9.0.0/16 [metric 10] [src 10.41.0.1] nexthop via 10.40.0.1 nexthop via ...
Route route(const std::vector<std::string_view>& words) {
  Route route{std::string{words[3]}, ""};
  bool is_hop = false;
  for (std::size_t at = 4; at + 1 < words.size(); at += 2) {
    if (words[at] == "nexthop") {
      is_hop = true;
      --at;  // it stands alone
      continue;
    }
    const std::string_view value = words[at + 1];
    if (words[at] == "via" && is_hop) route.hops.emplace_back(value);
    if (words[at] == "via" && !is_hop) route.via = value;
    if (words[at] == "metric") route.metric = parse_integer(value).value_or(0);
    if (words[at] == "table") route.table = parse_integer(value).value_or(0);
    if (words[at] == "src") route.source = value;
  }
  return route;
}

// The port of another hop may still be down; the port that comes up last makes the route.
std::string route_line(const Route& route) {
  std::string text = fmt::format("{}{}", kRoute, route.to);
  if (route.hops.empty()) text += fmt::format(" via {} dev $IFACE", route.via);
  if (route.metric != 0) text += fmt::format(" metric {}", route.metric);
  if (route.table != 0) text += fmt::format(" table {}", route.table);
  if (!route.source.empty()) text += fmt::format(" src {}", route.source);
  for (const std::string& hop : route.hops)
    text += fmt::format(" nexthop via {}", hop);
  if (!route.hops.empty()) text += " || true";
  return text;
}

void read_command(LinkConfig& config, const IfupdownOption& option) {
  if (const std::string_view mode = echoed(option.value, kModeTo); !mode.empty())
    config.ipoib_mode = mode;
  const std::string_view links = echoed(option.value, kMinLinksTo);
  if (!links.empty() && config.bond) config.bond->min_links = parse_integer(links);
  if (option.value.starts_with(kSetMtu))
    config.mtu = parse_integer(std::string_view{option.value}.substr(kSetMtu.size()));
  const std::vector<std::string_view> words = split_words(option.value);
  if (option.value.starts_with(kRoute) && words.size() >= 8) config.routes.push_back(route(words));
  // ip rule add iif $IFACE lookup 4001 priority 4001
  // ip rule add from 10.30.0.1 lookup 4501 priority 4501
  if (!option.value.starts_with(kRule) || words.size() != 9) return;
  if (words[3] == "from") {
    config.source_from = words[4];
    config.source_table = parse_integer(words[6]);
  } else {
    config.incoming_table = parse_integer(words[6]);
  }
}

void read_bond_option(BondConfig& bond, const IfupdownOption& option) {
  const std::string& key = option.key;
  if (key == "bond-mode") bond.mode = option.value;
  if (key == "bond-miimon") bond.miimon = parse_integer(option.value);
  if (key == "bond-updelay") bond.updelay = parse_integer(option.value);
  if (key == "bond-downdelay") bond.downdelay = parse_integer(option.value);
  if (key == "bond-min-links") bond.min_links = parse_integer(option.value);
  if (key == "bond-lacp-rate") bond.lacp_rate = option.value;
  if (key == "bond-xmit-hash-policy") bond.hash_policy = option.value;
  if (key == "bond-ad-select") bond.ad_select = option.value;
  if (key == "bond-fail-over-mac") bond.fail_over_mac = option.value;
  if (key == "bond-primary") bond.primary = option.value;
  if (key != "bond-slaves") return;
  for (const std::string_view slave : split_words(option.value))
    bond.slaves.emplace_back(slave);
}

}  // namespace

void line(std::string& text, std::string_view key, const std::string& value) {
  if (!value.empty()) text += fmt::format("    {} {}\n", key, value);
}

void line(std::string& text, std::string_view key, const std::optional<std::int64_t>& value) {
  if (value) text += fmt::format("    {} {}\n", key, *value);
}

void put_bond(std::string& text, const BondConfig& bond, bool second) {
  line(text, "bond-slaves", join(bond.slaves, " "));
  line(text, "bond-mode", bond.mode);
  line(text, "bond-miimon", bond.miimon);
  line(text, "bond-updelay", bond.updelay);
  line(text, "bond-downdelay", bond.downdelay);
  line(text, "bond-lacp-rate", bond.lacp_rate);
  line(text, "bond-xmit-hash-policy", bond.hash_policy);
  line(text, "bond-ad-select", bond.ad_select);
  if (!second) line(text, "bond-fail-over-mac", bond.fail_over_mac);
  line(text, "bond-primary", bond.primary);
}

std::string route_lines(const LinkConfig& config, bool ipv6) {
  std::string text;
  for (const Route& route : config.routes) {
    if (is_ipv6(route.to) == ipv6) line(text, "up", route_line(route));
  }
  return text;
}

// A rule is not replaced, but made a second time.
std::string rule_lines(const LinkConfig& config) {
  std::string text;
  const auto rule = [&text](const std::string& of, std::int64_t table) {
    line(text, "up", fmt::format("ip rule del priority {} 2>/dev/null || true", table));
    line(text, "up", fmt::format("{}{} lookup {} priority {}", kRule, of, table, table));
  };
  if (config.incoming_table) rule("iif $IFACE", *config.incoming_table);
  if (const std::optional<SourceWay> way = source_way(config)) {
    line(
        text,
        "up",
        fmt::format("{}{} dev $IFACE table {} src {}", kRoute, way->subnet, way->table, way->from));
    rule("from " + way->from, way->table);
  }
  return text;
}

void read_option(LinkConfig& config, const IfupdownOption& option) {
  if (option.key == "mtu") config.mtu = parse_integer(option.value);
  if (option.key == "address") config.addresses.push_back(option.value);
  if (option.key == "gateway")
    (is_ipv6(option.value) ? config.gateway6 : config.gateway) = option.value;
  if (option.key == "bond-master") config.master = option.value;
  if (option.key == "up" || option.key == "pre-up") read_command(config, option);
  if (config.bond) read_bond_option(*config.bond, option);
}

}  // namespace fabric::providers::ifupdown
