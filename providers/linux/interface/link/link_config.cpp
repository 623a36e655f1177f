#include "providers/linux/interface/link/link_config.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "providers/linux/interface/link/running_state.hpp"

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
  for (const Value& each : *value->as_list())
    all.push_back({each.string_or_empty("to"), each.string_or_empty("via")});
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
  const std::string primary = text(resource, "primary");
  if (!primary.empty()) bond.primary = interface_of(target, primary);
  for (const Slave& slave : target.slaves)
    bond.slaves.push_back(slave.name);
  return bond;
}

void put(Map& map, const char* key, const std::string& value) {
  if (!value.empty()) map.emplace(key, value);
}

void put(Map& map, const char* key, const std::optional<std::int64_t>& value) {
  if (value) map.emplace(key, *value);
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
  List routes;
  for (const Route& route : config.routes)
    routes.emplace_back(Map{{"to", route.to}, {"via", route.via}});
  map.emplace("routes", std::move(routes));
  put(map, "master", config.master);
  put(map, "ipoib_mode", config.ipoib_mode);
  if (config.bond) put_bond(map, *config.bond, target);
  put(map, "id", config.vlan_id);
  put(map, "pkey", config.pkey);
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
