// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/host_routing.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"

namespace fabric::platform {

namespace {

// Of the providers of interfaces and kernel parameters, which ask for them.
constexpr std::string_view kAddressProbe = "ip-addr";
constexpr std::string_view kRouteProbe = "ip-route";
constexpr std::string_view kRuleProbe = "ip-transit";
constexpr std::string_view kSysctlProbe = "sysctl";
constexpr std::string_view kConf = "/proc/sys/net/ipv4/conf/";

// ip writes numbers of tables as texts.
std::uint32_t number_of(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  if (found == nullptr) return 0;
  std::int64_t number = 0;
  if (found->as_integer() != nullptr) number = *found->as_integer();
  if (found->as_string() != nullptr) number = parse_integer(*found->as_string()).value_or(0);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, 0x7fffffff));
}

bool has_flag(const Value& interface, std::string_view flag) {
  const Value* flags = interface.find("flags");
  const List* list = flags == nullptr ? nullptr : flags->as_list();
  return list != nullptr && std::any_of(list->begin(), list->end(), [&](const Value& each) {
           return each.as_string() != nullptr && *each.as_string() == flag;
         });
}

void read_addresses(const Value& interface, RoutedInterface& read) {
  const Value* info = interface.find("addr_info");
  const List* list = info == nullptr ? nullptr : info->as_list();
  for (const Value& each : list == nullptr ? List{} : *list) {
    if (each.string_or_empty("family") != "inet") continue;
    const std::string local = each.string_or_empty("local");
    const Result<IpAddress> address = IpAddress::parse(local);
    const Result<Subnet> subnet =
        Subnet::of_address(fmt::format("{}/{}", local, number_of(each, "prefixlen")));
    if (address && subnet) read.addresses.push_back({*address, *subnet});
  }
}

std::string_view text_of(const NodeFacts& facts, std::string_view probe) {
  const std::string* text = facts.output(probe);
  return text == nullptr ? std::string_view{} : std::string_view{*text};
}

// "arp_ignore" of "eno1": the larger of its own value and that of all.
class Settings {
 public:
  explicit Settings(const NodeFacts& facts) {
    for (const std::string_view line : split_lines(text_of(facts, kSysctlProbe))) {
      const std::size_t colon = line.rfind(':');
      if (!line.starts_with(kConf) || colon == std::string_view::npos) continue;
      if (const auto value = parse_integer(line.substr(colon + 1)))
        values_.emplace(line.substr(kConf.size(), colon - kConf.size()), *value);
    }
  }

  std::optional<bool> forwards() const {
    const auto found = values_.find("all/forwarding");
    return found == values_.end() ? std::nullopt : std::optional{found->second != 0};
  }

  std::uint32_t of(std::string_view interface, std::string_view key) const {
    const auto value = [&](std::string_view scope) {
      const auto found = values_.find(fmt::format("{}/{}", scope, key));
      return found == values_.end() ? std::int64_t{0} : found->second;
    };
    const std::int64_t counts = std::max(value("all"), value(interface));
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(counts, 0, 255));
  }

 private:
  std::map<std::string, std::int64_t, std::less<>> values_;
};

// A probe prints a list a line.
std::vector<Value> items_of(const NodeFacts& facts, std::string_view probe) {
  std::vector<Value> items;
  for (const std::string_view line : split_lines(text_of(facts, probe))) {
    const Result<Value> list = parse_json(line);
    if (list && list->as_list() != nullptr)
      items.insert(items.end(), list->as_list()->begin(), list->as_list()->end());
  }
  return items;
}

void add_route(const Value& route, std::uint32_t table, HostRouting& routing) {
  if (!route.string_or_empty("gateway").empty() || route.string_or_empty("scope") != "link") return;
  const Result<Subnet> to = Subnet::of_destination(route.string_or_empty("dst"));
  if (!to || to->network().family() != Family::ipv4) return;
  routing.routes.push_back({*to, route.string_or_empty("dev"), table, number_of(route, "metric")});
}

// Of the rules those by source, and the routes of the tables that the probe went through.
void add_tables(const NodeFacts& facts, HostRouting& routing) {
  for (const Value& each : items_of(facts, kRuleProbe)) {
    const Value* routes = each.find("routes");
    if (routes == nullptr) {
      const Result<IpAddress> from = IpAddress::parse(each.string_or_empty("src"));
      const bool is_by_source = from && each.find("iif") == nullptr && number_of(each, "table") > 0;
      if (is_by_source) routing.rules.push_back({*from, number_of(each, "table")});
      continue;
    }
    const List* list = routes->as_list();
    for (const Value& route : list == nullptr ? List{} : *list)
      add_route(route, number_of(each, "table"), routing);
  }
}

}  // namespace

std::optional<HostRouting> host_routing_of(const NodeFacts& facts) {
  const std::vector<Value> interfaces = items_of(facts, kAddressProbe);
  if (interfaces.empty()) return std::nullopt;
  const Settings settings{facts};
  HostRouting routing;
  routing.forwards = settings.forwards();
  std::vector<LinkRoute> derived;
  for (const Value& each : interfaces) {
    const std::string name = each.string_or_empty("ifname");
    RoutedInterface& read = routing.interfaces[name];
    read.up = has_flag(each, "UP");
    if (read.up) read.carrier = has_flag(each, "LOWER_UP");
    read_addresses(each, read);
    read.arp_ignore = settings.of(name, "arp_ignore");
    read.rp_filter = settings.of(name, "rp_filter");
    read.ignores_linkdown = settings.of(name, "ignore_routes_with_linkdown") != 0;
    for (const InterfaceAddress& address : read.addresses)
      derived.push_back({address.subnet, name});
  }
  for (const Value& route : items_of(facts, kRouteProbe))
    add_route(route, 0, routing);
  if (routing.routes.empty()) routing.routes = std::move(derived);
  add_tables(facts, routing);
  return routing;
}

}  // namespace fabric::platform
