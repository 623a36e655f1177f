// SPDX-License-Identifier: Apache-2.0
// Shared functions of expansion: addresses, bindings, edges and attributes of one node.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/model/expand/parts.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/value/lists.hpp"

namespace fabric::expansion {

namespace {

void put_text(Map& binding, std::string_view key, const std::string& value) {
  if (!value.empty()) binding.emplace(key, value);
}

// One family of addresses.
struct Found {
  const IpSpec* ip = nullptr;
  const std::vector<Sourced<IpAddress>>* addresses = nullptr;
};

std::vector<Found> families(const IpWanted& wanted) {
  std::vector<Found> found;
  for (const IpSpec* ip : {&wanted.ipv4, wanted.ipv6}) {
    if (ip == nullptr || !ip->subnet) continue;
    const auto entry = ip->addresses.find(wanted.port);
    if (entry != ip->addresses.end() && !entry->second.empty())
      found.push_back({ip, &entry->second});
  }
  return found;
}

void want_addresses(
    Resource& resource, const NetworkSpec& network, const std::vector<Found>& found) {
  if (found.empty()) return;
  List list;
  for (const auto& [ip, addresses] : found) {
    std::vector<IpAddress> sorted;
    sorted.reserve(addresses->size());
    for (const Sourced<IpAddress>& each : *addresses)
      sorted.push_back(each.value);
    std::sort(sorted.begin(), sorted.end());
    for (const IpAddress& each : sorted)
      list.emplace_back(fmt::format("{}/{}", each.str(), ip->prefix_length()));
  }
  std::string subnets = found.front().ip->subnet->value.str();
  if (found.size() > 1) subnets += " and " + found.back().ip->subnet->value.str();
  want(
      resource,
      "addresses",
      std::move(list),
      found.front().addresses->front().range,
      fmt::format("network {} has subnet {}", network.name, subnets));
}

void want_gateway(
    Resource& resource, const char* attribute, const NetworkSpec& network, const IpSpec& ip) {
  if (ip.gateway.value.empty()) return;
  want(
      resource,
      attribute,
      ip.gateway.value,
      ip.gateway.range,
      fmt::format("network {} has the gateway {}", network.name, ip.gateway.value));
  resource.features.push_back({attribute, "`gateway`", ip.gateway.range});
}

// The node's own address: it is the router of the others, and its kernel refuses such a route.
bool leads_to_itself(const IpSpec& ip, const RouteSpec& route, const NodeName& node) {
  return std::ranges::any_of(ip.addresses, [&](const auto& of_port) {
    return of_port.first.node == node && std::ranges::any_of(of_port.second, [&](const auto& each) {
             return each.value.str() == route.via.value;
           });
  });
}

void want_routes(Resource& resource, const IpWanted& wanted) {
  List routes;
  SourceRange place;
  for (const IpSpec* ip : {&wanted.ipv4, wanted.ipv6}) {
    if (ip == nullptr) continue;
    for (const RouteSpec& route : ip->routes) {
      if (leads_to_itself(*ip, route, wanted.port.node)) continue;
      if (routes.empty()) place = route.to.range;
      routes.emplace_back(Map{{"to", route.to.value}, {"via", route.via.value}});
    }
  }
  if (routes.empty()) return;
  want(
      resource,
      "routes",
      std::move(routes),
      place,
      fmt::format("network {} has these routes", wanted.network.name));
  resource.features.push_back({"routes", "`routes`", place});
}

}  // namespace

NodeResources::NodeResources(
    const Scope& scope, const NodeSpec& node, std::vector<Resource>& resources)
    : scope_{scope}, node_{node}, resources_{resources}, networks_{scope.networks_of(node.name)} {
  std::erase_if(networks_, [&](const auto& each) {
    return is_made_elsewhere(scope.network(each.first), node);
  });
}

ResourceAddress NodeResources::address(std::string_view kind, std::string name) const {
  return {node_.name, std::string{kind}, std::move(name)};
}

Resource NodeResources::start(std::string_view kind, std::string name, SourceRange origin) const {
  Resource resource{address(kind, std::move(name)), {}, {}, {}, origin};
  if (node_.state.value == NodeState::observe) resource.binding.emplace(keys::kObserve, true);
  return resource;
}

void NodeResources::put(Resource resource) {
  // Two slaves of one card wait for the same.
  std::set<ResourceAddress> known;
  std::erase_if(
      resource.after, [&](const ResourceAddress& each) { return !known.insert(each).second; });
  made_.insert(resource.address);
  resources_.push_back(std::move(resource));
}

void NodeResources::set_foundation(std::vector<ResourceAddress> foundation) {
  foundation_ = std::move(foundation);
}

void NodeResources::wait_for_foundation(Resource& resource) const {
  resource.after.insert(resource.after.end(), foundation_.begin(), foundation_.end());
}

void NodeResources::wait_for_port(Resource& resource, const PortRef& port) const {
  resource.after.push_back(address(kinds::kAdapter, port.adapter));
  const auto wait_for = [&](ResourceAddress before) {
    if (has(before)) resource.after.push_back(std::move(before));
  };
  wait_for(address(kinds::kLinkName, port_name(port)));
  for (const std::string_view kind : {kinds::kSettings, kinds::kFirmware, kinds::kSriov})
    wait_for(address(kind, port.adapter));
  wait_for_foundation(resource);
}

Map NodeResources::adapter_binding(const AdapterSpec& adapter) const {
  Map binding;
  binding.emplace(keys::kAdapter, adapter.name);
  binding.emplace(keys::kModel, adapter.hardware->slug);
  binding.emplace(keys::kFamily, adapter.hardware->family);
  binding.emplace(keys::kDeviceIds, to_list(adapter.hardware->device_ids));
  binding.emplace(keys::kPorts, adapter.ports.value);
  put_text(binding, keys::kPci, adapter.selector.pci.value);
  put_text(binding, keys::kNodeGuid, adapter.selector.node_guid.value);
  put_text(binding, keys::kMac, adapter.selector.mac.value);
  put_text(binding, keys::kSerial, adapter.selector.serial.value);
  return binding;
}

Map NodeResources::port_binding(const PortRef& port) const {
  const AdapterSpec* adapter = node_.find_adapter(port.adapter);
  FABRIC_CHECK(adapter != nullptr && adapter->hardware != nullptr, "a port of an unknown card");
  Map binding = adapter_binding(*adapter);
  binding.emplace(keys::kPort, port.number());
  if (const auto name = adapter->names.find(port.number()); name != adapter->names.end())
    binding.emplace(keys::kName, name->second.value);
  return binding;
}

void NodeResources::bind_network(Resource& resource, const NetworkSpec& network) const {
  resource.binding.emplace(keys::kNetwork, network.name);
  resource.binding.emplace(keys::kBackend, to_string(node_.network_backend.value));
  const bool is_named =
      node_.network_backend.value != NetworkBackend::automatic && traits().linux_host;
  if (is_named)
    resource.features.push_back(
        {"network_backend", "`network_backend`", node_.network_backend.range});
  if (!node_.adopt.value) return;
  resource.binding.emplace(keys::kAdopt, adopt_binding(node_));
  resource.features.push_back({"adopt", "`adopt`", node_.adopt.range});
}

Value adopt_binding(const NodeSpec& node) {
  List drops = to_list(node.adopt_drops);
  return drops.empty() ? Value{true} : Value{std::move(drops)};
}

std::string port_name(const PortRef& port) {
  return port.adapter + "." + port.port;
}

SourceRange key_range(const NetworkSpec& network, std::string_view key) {
  const auto found = network.keys.find(std::string{key});
  return found == network.keys.end() ? network.range : found->second;
}

void want(
    Resource& resource,
    std::string_view attribute,
    Value value,
    SourceRange source,
    std::string reason) {
  resource.desired.emplace(
      std::string{attribute}, DesiredAttribute{std::move(value), source, std::move(reason)});
}

Value number_or_text(const std::string& text) {
  const auto number = parse_integer(text);
  return number ? Value{*number} : Value{text};
}

void want_mtu(Resource& resource, const NetworkSpec& network) {
  if (network.mtu.value == 0) return;
  want(
      resource,
      "mtu",
      network.mtu.value,
      network.mtu.range,
      fmt::format("network {} has MTU {}", network.name, network.mtu.value));
}

void want_ip(Resource& resource, const IpWanted& wanted) {
  const std::vector<Found> found = families(wanted);
  want_addresses(resource, wanted.network, found);
  if (!found.empty() && found.back().ip == wanted.ipv6)
    resource.features.push_back({"ipv6", "`ipv6`", key_range(wanted.network, "ipv6")});
  if (!wanted.first) return;
  want_gateway(resource, "gateway", wanted.network, wanted.ipv4);
  if (wanted.ipv6 != nullptr) want_gateway(resource, "gateway6", wanted.network, *wanted.ipv6);
  want_routes(resource, wanted);
}

}  // namespace fabric::expansion
