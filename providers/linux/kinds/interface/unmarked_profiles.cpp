// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/unmarked_profiles.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/backends/backend_signs.hpp"
#include "providers/linux/kinds/interface/backends/keyfile_profile.hpp"
#include "providers/linux/kinds/interface/backends/manager_restore.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"

namespace fabric::providers {

namespace {

// "cx5.1" of the id "fabric-cx5.1", "bond-bond0" of "fabric-bond-bond0".
ResourceAddress address_of(const NodeName& node, std::string_view stem) {
  for (const std::string_view kind : {kinds::kBond, kinds::kVlan, kinds::kIpoib}) {
    if (stem.starts_with(std::string{kind} + "-"))
      return {node, std::string{kind}, std::string{stem.substr(kind.size() + 1)}};
  }
  return {node, std::string{kinds::kInterface}, std::string{stem}};
}

// Null map: no card has this interface. `called`: "cx5.1".
Map port_binding(const std::vector<Card>& cards, const std::string& netdev, std::string called) {
  for (const Card& card : cards) {
    for (const AdapterPort& port : card.ports) {
      if (port.netdev != netdev || netdev.empty()) continue;
      Map binding{
          {std::string{keys::kAdapter}, called.substr(0, called.rfind('.'))},
          {std::string{keys::kDeviceIds}, List{static_cast<std::int64_t>(card.device_id)}},
          {std::string{keys::kPorts}, static_cast<std::int64_t>(card.ports.size())},
          {std::string{keys::kPci}, card.address.str()},
          {std::string{keys::kPort}, static_cast<std::int64_t>(port.number)}};
      if (!port.netdev_is_ethernet) binding.emplace(keys::kLinkType, "infiniband");
      return binding;
    }
  }
  return {};
}

class Profiles {
 public:
  explicit Profiles(const NodeFacts& facts) : facts_{facts}, cards_{inventory_of(facts)} {}

  std::vector<Resource> of(std::string_view kind) const {
    std::vector<Resource> found;
    for (const auto& [path, content] : network_files(facts_)) {
      if (!path.starts_with("/etc/NetworkManager/") || is_owned(content)) continue;
      const KeyfileProfile profile = keyfile_profile(content);
      if (!profile.id.starts_with(kProfileStart)) continue;
      Resource resource{
          address_of(
              facts_.node,
              std::string_view{profile.id}.substr(std::string_view{kProfileStart}.size())),
          {},
          {},
          {},
          {}};
      if (resource.address.kind != kind || !bind(resource, profile)) continue;
      resource.binding.emplace(keys::kBackend, "networkmanager");
      for (const char* attribute : {"mtu", "addresses"})
        resource.desired.emplace(attribute, DesiredAttribute{});
      found.push_back(std::move(resource));
    }
    return found;
  }

 private:
  bool bind(Resource& resource, const KeyfileProfile& profile) const {
    const std::string kind = resource.address.kind;
    if (kind == kinds::kInterface) {
      resource.binding = port_binding(cards_, profile.interface, resource.address.name);
      return !resource.binding->empty();
    }
    const bool is_vlan = kind == kinds::kVlan;
    const std::string& device = is_vlan ? profile.parent : profile.interface;
    List slaves;
    for (const Card& card : cards_) {
      for (const AdapterPort& port : card.ports) {
        if (!port.netdev.empty() && running_links(facts_).master(port.netdev) == device)
          slaves.emplace_back(
              port_binding(cards_, port.netdev, "port." + std::to_string(port.number)));
      }
    }
    if (is_vlan && slaves.empty()) resource.binding = port_binding(cards_, device, "port.1");
    const bool bonded = !slaves.empty();
    if (bonded) {
      resource.binding.emplace(keys::kSlaves, std::move(slaves));
      resource.binding.emplace(keys::kBond, device);
    }
    if (is_vlan) {
      resource.binding.emplace(keys::kParentKind, bonded ? kinds::kBond : kinds::kInterface);
      resource.binding.emplace(keys::kId, parse_integer(profile.vlan).value_or(0));
    }
    return bonded || (is_vlan && resource.binding->contains(keys::kPci));
  }

  const NodeFacts& facts_;
  const std::vector<Card>& cards_;
};

}  // namespace

std::vector<Resource> unmarked_profiles(
    std::span<const Resource> wanted, const NodeFacts& facts, std::string_view kind) {
  std::vector<Resource> found = Profiles{facts}.of(kind);
  std::erase_if(found, [&wanted](const Resource& each) {
    return std::any_of(wanted.begin(), wanted.end(), [&each](const Resource& other) {
      return other.address == each.address;
    });
  });
  return found;
}

}  // namespace fabric::providers
