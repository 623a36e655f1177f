// SPDX-License-Identifier: Apache-2.0
// A node's software: operating system, driver stack, packages, modules, kernel parameters, tuning.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/model/expand/parts.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/model/tuning.hpp"
#include "engine/value/lists.hpp"

namespace fabric::expansion {

namespace {

// Two ports in one subnet: without these Linux answers ARP for either address on either port, drops
// packets that come in by another port than the route's, and sends by the first port for ever,
// since addresses and their routes outlive the carrier (E-linux-two-ports-one-subnet,
// E-linux-linkdown).
struct SharedSubnetSysctl {
  std::string_view key, value, why;
};
constexpr std::string_view kOwnAddress = "each port must answer for its own address only";
constexpr SharedSubnetSysctl kSharedWireSysctls[] = {
    {"net.ipv4.conf.all.arp_ignore", "1", kOwnAddress},
    {"net.ipv4.conf.all.arp_announce", "2", kOwnAddress},
};
constexpr SharedSubnetSysctl kSharedSubnetSysctls[] = {
    {"net.ipv4.conf.all.arp_ignore", "1", kOwnAddress},
    {"net.ipv4.conf.all.arp_announce", "2", kOwnAddress},
    {"net.ipv4.conf.all.ignore_routes_with_linkdown",
     "1",
     "a port without carrier must not keep the traffic"},
    {"net.ipv4.conf.all.rp_filter", "2", kOwnAddress},
};

using Addresses = std::vector<ResourceAddress>;

// Adds one attribute for each key of the document, and no resource without any.
void put_texts(
    NodeResources& node,
    Resource resource,
    std::string_view written,
    std::initializer_list<std::pair<const char*, const Sourced<std::string>*>> texts) {
  for (const auto& [attribute, text] : texts) {
    if (!is_known(text->range)) continue;
    want(resource, attribute, text->value, text->range, "the document asks for it");
    resource.features.push_back({attribute, std::string{written}, text->range});
    if (!is_known(resource.origin)) resource.origin = text->range;
  }
  if (!resource.desired.empty()) node.put(std::move(resource));
}

void put_os(NodeResources& node, Addresses& foundation) {
  const OsSpec& os = *node.node().os;
  put_texts(
      node,
      node.start(kinds::kOs, "os", {}),
      "`os`",
      {{"release", &os.release}, {"minimum", &os.minimum}});
  if (const auto address = node.address(kinds::kOs, "os"); node.has(address))
    foundation.push_back(address);
}

void put_stack(NodeResources& node, Addresses& foundation) {
  const SoftwareSpec& software = *node.node().software;
  Resource resource = node.start(kinds::kSoftware, "stack", {});
  resource.after = foundation;
  if (!software.bundles.empty()) {
    resource.origin = software.bundles.front().range;
    want(
        resource,
        "bundles",
        to_list(software.bundles),
        resource.origin,
        "the document asks for these bundles");
    resource.features.push_back({"bundles", "`software.bundles`", resource.origin});
  }
  put_texts(
      node,
      std::move(resource),
      "`software`",
      {{"stack", &software.stack}, {"minimum", &software.minimum}, {"mft", &software.mft}});
  if (const auto address = node.address(kinds::kSoftware, "stack"); node.has(address))
    foundation.push_back(address);
}

void put_packages(NodeResources& node, Addresses& foundation) {
  const Addresses before = foundation;
  for (const Sourced<std::string>& package : node.node().packages) {
    Resource resource = node.start(kinds::kPackage, package.value, package.range);
    if (node.has(resource.address)) continue;
    resource.after = before;
    want(resource, "installed", true, package.range, "the document asks for this package");
    resource.features.push_back({"", "`packages`", package.range});
    foundation.push_back(resource.address);
    node.put(std::move(resource));
  }
}

// The kernel's name of a module: nvme_rdma for "nvme-rdma".
std::string kernel_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void put_modules(NodeResources& node, Addresses& foundation) {
  const Addresses before = foundation;
  std::map<std::string, Resource> modules;
  for (const auto& [written, parameters] : node.node().modules) {
    const std::string module = kernel_name(written);
    const SourceRange place =
        parameters.empty() ? node.node().range : parameters.begin()->second.range;
    Resource& resource =
        modules.try_emplace(module, node.start(kinds::kModule, module, place)).first->second;
    want(resource, "loaded", true, place, "the document names this module");
    resource.features.push_back({"", "`modules`", place});
    for (const auto& [parameter, value] : parameters) {
      const std::string name = kernel_name(parameter);
      want(resource, name, value.value, value.range, "the document sets this parameter");
      resource.features.push_back({name, "`modules`", value.range});
    }
  }
  if (const auto uplinks = uplinks_of(node)) {
    const std::string module = "ib_ipoib";
    Resource& resource =
        modules.try_emplace(module, node.start(kinds::kModule, module, uplinks->place))
            .first->second;
    const std::string reason = "the network asks for so many uplinks of a port";
    want(resource, "loaded", true, uplinks->place, reason);
    want(resource, uplinks->parameter, uplinks->value, uplinks->place, reason);
  }
  for (auto& [module, resource] : modules) {
    if (node.node().adopt.value && node.traits().linux_host)
      resource.binding.emplace(keys::kAdopt, adopt_binding(node.node()));
    resource.after = before;
    foundation.push_back(resource.address);
    node.put(std::move(resource));
  }
}

bool sets(const std::vector<TuningValue>& values, const std::string& path) {
  return std::ranges::any_of(
      values, [&path](const TuningValue& value) { return sysctl_path(value.key) == path; });
}

// True if a later profile of the node, or the node's own `sysctl`, sets the parameter.
bool is_overruled(const NodeSpec& node, std::size_t position, const std::string& key) {
  const std::string path = sysctl_path(key);
  for (std::size_t later = position + 1; later < node.tuning.size(); ++later) {
    const TuningProfile* profile = find_tuning_profile(node.tuning[later].value);
    if (profile != nullptr && sets(profile->values, path)) return true;
  }
  return node.sysctl.contains(sysctl_key(key));
}

void put_tuning(NodeResources& node) {
  const std::vector<Sourced<std::string>>& tuning = node.node().tuning;
  for (std::size_t position = 0; position < tuning.size(); ++position) {
    const Sourced<std::string>& name = tuning[position];
    const TuningProfile* profile = find_tuning_profile(name.value);
    if (profile == nullptr) continue;  // the schema has said so
    Resource resource = node.start(kinds::kTuning, name.value, name.range);
    node.wait_for_foundation(resource);
    for (const TuningValue& value : profile->values) {
      if (is_overruled(node.node(), position, value.key)) continue;
      want(
          resource,
          value.key,
          value.value,
          name.range,
          fmt::format("tuning profile {}: {}", name.value, value.why));
    }
    resource.features.push_back({"", "`tuning`", name.range});
    if (!resource.desired.empty()) node.put(std::move(resource));
  }
}

// The parameter by its key: some of them can't be set.
std::string written_parameter(const std::string& key) {
  return fmt::format(
      "`sysctl` {}{}", key, is_of_one_interface(key) ? ", a parameter of one interface," : "");
}

// Adds the node's own parameters before those that follow from a network.
void put_own_sysctls(NodeResources& node) {
  if (node.node().sysctl.empty()) return;
  Resource resource = node.start(kinds::kSysctl, "node", node.node().sysctl.begin()->second.range);
  node.wait_for_foundation(resource);
  for (const auto& [key, value] : node.node().sysctl) {
    want(resource, key, value.value, value.range, "the document sets this kernel parameter");
    resource.features.push_back({key, written_parameter(key), value.range});
  }
  node.put(std::move(resource));
}

void put_shared_subnet_sysctls(
    NodeResources& node, const NetworkSpec& network, const std::vector<PortRef>& ports) {
  const bool is_infiniband = network.mode.value == Mode::infiniband;
  if (is_infiniband && !network.ipoib) return;
  const IpSpec& ip = is_infiniband ? network.ipoib->ipv4 : network.ipv4;
  if (!ip.subnet || ip.cable_prefix != 0) return;
  std::uint32_t count = 0;
  for (const PortRef& port : ports)
    count += ip.addresses.contains(port) ? 1U : 0U;
  if (count < 2) return;
  Resource resource = node.start(kinds::kSysctl, network.name, ip.subnet->range);
  for (const auto& [key, value, why] : kSharedSubnetSysctls) {
    if (node.node().sysctl.contains(std::string{key})) continue;
    want(
        resource,
        key,
        value,
        ip.subnet->range,
        fmt::format(
            "{} ports of the node are in subnet {}: {}", count, ip.subnet->value.str(), why));
  }
  if (!resource.desired.empty()) node.put(std::move(resource));
}

// A switch, and its VLAN of untagged frames; 0: that of the bridge.
using Domain = std::pair<NodeName, std::uint32_t>;

// The interfaces of the node that hear each other: of a bond, its first port stands for all.
std::map<Domain, std::vector<PortRef>> interfaces_by_domain(const NodeResources& node) {
  std::map<Domain, std::vector<PortRef>> interfaces;
  for (const auto& [name, ports] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    const bool is_bond = lag_of(network) != nullptr;
    std::set<NodeName> counted;
    for (const PortRef& port : ports) {
      const NodeName* domain = node.scope().domain(port);
      if (domain == nullptr || (is_bond && !counted.insert(*domain).second)) continue;
      interfaces[{*domain, network.access_vlan.value}].push_back(port);
    }
  }
  return interfaces;
}

// Ports of different subnets that meet in one switch: Linux answers ARP for any of its addresses on
// each of them, and the peers' frames for one come in by another (E-linux-rails-one-switch).
void put_same_wire_sysctls(NodeResources& node) {
  for (const auto& [where, ports] : interfaces_by_domain(node)) {
    const auto& [domain, vlan] = where;
    std::set<std::string> networks;
    for (const PortRef& port : ports)
      networks.insert(node.scope().member(port)->network->name);
    // Two ports of one network are in one subnet (above), or each cable is a subnet of its own.
    const bool is_done =
        networks.size() < 2 && node.has(node.address(kinds::kSysctl, *networks.begin()));
    if (ports.size() < 2 || is_done) continue;
    const SourceRange place = node.scope().member(ports.back())->network->range;
    Resource resource = node.start(
        kinds::kSysctl,
        "switch-" + domain.str() + (vlan == 0 ? "" : fmt::format("-vlan{}", vlan)),
        place);
    for (const auto& [key, value, why] : kSharedWireSysctls) {
      if (node.node().sysctl.contains(std::string{key})) continue;
      want(
          resource,
          key,
          value,
          place,
          fmt::format(
              "{} interfaces of the node meet in switch {}: {}", ports.size(), domain.str(), why));
    }
    if (!resource.desired.empty()) node.put(std::move(resource));
  }
}

}  // namespace

void expand_software(NodeResources& node) {
  Addresses foundation;
  put_os(node, foundation);
  put_stack(node, foundation);
  put_packages(node, foundation);
  put_modules(node, foundation);
  node.set_foundation(std::move(foundation));
  put_tuning(node);
}

void expand_sysctls(NodeResources& node) {
  put_own_sysctls(node);
  // The rest concerns Linux's ARP and routes.
  if (!node.traits().linux_host) return;
  for (const auto& [name, ports] : node.networks())
    put_shared_subnet_sysctls(node, node.scope().network(name), ports);
  put_same_wire_sysctls(node);
}

}  // namespace fabric::expansion
