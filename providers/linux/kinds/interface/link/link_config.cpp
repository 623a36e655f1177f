// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link/link_config.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/model/address.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/value/lists.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"

namespace fabric::providers {

namespace {

const Value* wanted(const Resource& resource, std::string_view key) {
  const auto found = resource.desired.find(key);
  return found == resource.desired.end() ? nullptr : &found->second.value;
}

std::string text(const Resource& resource, std::string_view key) {
  const Value* value = wanted(resource, key);
  return value == nullptr || value->as_string() == nullptr ? std::string{} : *value->as_string();
}

std::optional<std::int64_t> integer(const Resource& resource, std::string_view key) {
  const Value* value = wanted(resource, key);
  if (value == nullptr || value->as_integer() == nullptr) return std::nullopt;
  return *value->as_integer();
}

std::vector<std::string> texts(const Resource& resource, std::string_view key) {
  const Value* value = wanted(resource, key);
  std::vector<std::string> all;
  if (value == nullptr || value->as_list() == nullptr) return all;
  for (const Value& each : *value->as_list())
    all.push_back(to_text(each));
  return all;
}

std::vector<Route> routes(const Resource& resource) {
  const Value* value = wanted(resource, "routes");
  std::vector<Route> all;
  if (value == nullptr || value->as_list() == nullptr) return all;
  const auto number = [](const Value& route, std::string_view key) {
    const Value* found = route.find(key);
    return found == nullptr || found->as_integer() == nullptr ? 0 : *found->as_integer();
  };
  for (const Value& each : *value->as_list()) {
    all.push_back(
        {each.string_or_empty("to"),
         each.string_or_empty("via"),
         number(each, "metric"),
         number(each, "table"),
         each.string_or_empty("source")});
    for (const Value& hop : each.member("hops").items())
      all.back().hops.push_back(to_text(hop));
  }
  return all;
}

std::string label_of(const LinkTarget& target, const std::string& name) {
  const auto slave = std::find_if(
      target.slaves.begin(), target.slaves.end(), [&](const Slave& s) { return s.name == name; });
  return slave == target.slaves.end() ? name : slave->label;
}

BondConfig bond_of(const Resource& resource, const LinkTarget& target) {
  BondConfig bond;
  bond.mode = text(resource, "mode");
  bond.miimon = integer(resource, "miimon");
  bond.updelay = integer(resource, "updelay");
  bond.downdelay = integer(resource, "downdelay");
  bond.min_links = integer(resource, "min_links");
  bond.lacp_rate = text(resource, "lacp_rate");
  bond.hash_policy = text(resource, "hash_policy");
  bond.ad_select = text(resource, "ad_select");
  bond.fail_over_mac = text(resource, "fail_over_mac");
  const std::string primary = text(resource, "primary");
  if (!primary.empty()) bond.primary = interface_of(target, primary);
  for (const Slave& slave : target.slaves)
    bond.slaves.push_back(slave.name);
  return bond;
}

void put_bond(Map& map, const BondConfig& bond, const LinkTarget& target) {
  put(map, "mode", bond.mode);
  put(map, "miimon", bond.miimon);
  put(map, "updelay", bond.updelay);
  put(map, "downdelay", bond.downdelay);
  put(map, "min_links", bond.min_links);
  put(map, "lacp_rate", bond.lacp_rate);
  put(map, "hash_policy", bond.hash_policy);
  put(map, "ad_select", bond.ad_select);
  put(map, "fail_over_mac", bond.fail_over_mac);
  if (!bond.primary.empty()) put(map, "primary", label_of(target, bond.primary));
  List slaves;
  for (const std::string& slave : bond.slaves)
    slaves.emplace_back(label_of(target, slave));
  map.emplace("slaves", std::move(slaves));
}

}  // namespace

bool is_ipv6(std::string_view address) {
  return address.find(':') != std::string_view::npos;
}

bool routes_transit(const LinkConfig& config) {
  return config.incoming_table.has_value();
}

std::optional<SourceWay> source_way(const LinkConfig& config) {
  const auto first = std::find_if_not(config.addresses.begin(), config.addresses.end(), is_ipv6);
  if (!config.source_table || first == config.addresses.end()) return std::nullopt;
  const Result<Subnet> subnet = Subnet::of_address(*first);
  if (!subnet) return std::nullopt;
  return SourceWay{first->substr(0, first->find('/')), subnet->str(), *config.source_table};
}

void settle_source(LinkConfig& config) {
  const std::optional<SourceWay> way = source_way(config);
  const std::string from = std::exchange(config.source_from, {});
  const auto route = std::find_if(config.routes.begin(), config.routes.end(), [&](const Route& r) {
    return way && r.to == way->subnet && r.via.empty() && r.hops.empty() && r.table == way->table;
  });
  if (way && from == way->from && route != config.routes.end()) {
    config.routes.erase(route);
  } else {
    config.source_table.reset();
  }
}

Value route_value(const Route& route) {
  Map entry{{"to", route.to}};
  if (route.hops.empty()) {
    entry.emplace("via", route.via);
  } else {
    entry.emplace("hops", to_list(route.hops));
  }
  if (route.metric != 0) entry.emplace("metric", route.metric);
  if (route.table != 0) entry.emplace("table", route.table);
  if (!route.source.empty()) entry.emplace("source", route.source);
  return Value{std::move(entry)};
}

std::string interface_of(const LinkTarget& target, const std::string& written) {
  std::string label = written;
  std::replace(label.begin(), label.end(), '/', '.');
  const std::string ending = "." + label;
  for (const Slave& slave : target.slaves) {
    if (slave.label == label || slave.label.ends_with(ending)) return called(slave);
  }
  return written;
}

std::string file_stem(std::string_view kind, std::string_view name) {
  return kind == kinds::kInterface ? std::string{name} : fmt::format("{}-{}", kind, name);
}

LinkConfig config_of(const Resource& resource, const LinkTarget& target) {
  LinkConfig config;
  config.mtu = integer(resource, "mtu");
  config.addresses = texts(resource, "addresses");
  config.gateway = text(resource, "gateway");
  config.gateway6 = text(resource, "gateway6");
  config.routes = routes(resource);
  config.master = text(resource, "master");
  config.ipoib_mode = text(resource, "ipoib_mode");
  config.incoming_table = integer(resource, "incoming_table");
  config.source_table = integer(resource, "source_table");
  if (target.kind == LinkKind::bond) config.bond = bond_of(resource, target);
  if (target.kind == LinkKind::vlan) config.vlan_id = integer(resource, "id");
  if (target.kind == LinkKind::ipoib_child) {
    config.pkey = integer(resource, "pkey");
    if (config.pkey) *config.pkey &= kPkeyIdentity;
  }
  return config;
}

Map attributes_of(const LinkConfig& config, const LinkTarget& target) {
  Map map;
  put(map, "mtu", config.mtu);
  map.emplace("addresses", address_list(config.addresses));
  put(map, "gateway", config.gateway);
  put(map, "gateway6", config.gateway6);
  map.emplace("routes", to_list(config.routes, route_value));
  put(map, "master", config.master);
  put(map, "ipoib_mode", config.ipoib_mode);
  if (config.bond) put_bond(map, *config.bond, target);
  put(map, "id", config.vlan_id);
  put(map, "pkey", config.pkey);
  put(map, "incoming_table", config.incoming_table);
  put(map, "source_table", config.source_table);
  return map;
}

Value in_order_of(const Value& wanted, Value found) {
  const List* order = wanted.as_list();
  const List* list = found.as_list();
  if (order == nullptr || list == nullptr) return found;
  const bool same = std::is_permutation(order->begin(), order->end(), list->begin(), list->end());
  return same ? wanted : found;
}

}  // namespace fabric::providers
