// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/orphan.hpp"
#include "engine/provider/provider.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/backends/backend_choice.hpp"
#include "providers/linux/kinds/interface/backends/backend_signs.hpp"
#include "providers/linux/kinds/interface/backends/keyfile_profile.hpp"
#include "providers/linux/kinds/interface/backends/manager_restore.hpp"
#include "providers/linux/kinds/interface/bound.hpp"
#include "providers/linux/kinds/interface/foreign_entries.hpp"
#include "providers/linux/kinds/interface/given_name.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"
#include "providers/linux/kinds/interface/link_observer.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"
#include "providers/linux/kinds/interface/link_work.hpp"
#include "providers/linux/kinds/interface/live_claims.hpp"
#include "providers/linux/kinds/interface/live_options.hpp"
#include "providers/linux/kinds/interface/second_default_route.hpp"
#include "providers/linux/kinds/rows.hpp"

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

// Profiles of fabric that lost their marker: NetworkManager has migrated an ifcfg file to a
// keyfile, or has rewritten a profile. Their ids still name their resources.
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

// Orphans of kind interface, bond and vlan for profiles that no resource of `wanted` has, bound to
// the cards whose ports the profiles name.
std::vector<Resource> unmarked_profiles(
    std::span<const Resource> wanted, const NodeFacts& facts, std::string_view kind) {
  std::vector<Resource> found = Profiles{facts}.of(kind);
  std::erase_if(found, [&wanted](const Resource& each) {
    return std::ranges::any_of(
        wanted, [&each](const Resource& other) { return other.address == each.address; });
  });
  return found;
}

// The document calls it something else now, and that one is configured anyway.
bool is_same_interface(const FoundLink& left, const FoundLink& taken) {
  if (!left.why.empty() || !taken.why.empty()) return false;
  if (left.target.kind == LinkKind::port) return left.port == taken.port;
  return left.target.name == taken.target.name;
}

// The foreign configuration in files that this plan takes over; nullopt: it takes over nothing, in
// files or running without any file of fabric.
std::optional<std::vector<ForeignEntry>> taken_over(
    const Resource& resource, const FoundLink& link, const NodeFacts& facts) {
  const FileTexts& files = network_files(facts);
  const BackendChoice choice =
      choose_backend(facts, bound_text(resource, keys::kBackend), link.port->netdev);
  std::vector<ForeignEntry> entries;
  if (choice.backend != nullptr &&
      choice.backend->obstacle(link.target, config_of(resource, link.target)).empty())
    entries = foreign_entries(link, *choice.backend, files);
  if (entries.empty() && has_file_of_ours(resource, files)) return std::nullopt;
  return entries;
}

std::vector<Probe> probes_of_link() {
  std::vector<Probe> probes = backend_probes();
  probes.push_back(pci_probe());
  for (Probe& probe : running_probes())
    probes.push_back(std::move(probe));
  return probes;
}

bool link_supports(const Resource& /*resource*/, std::string_view feature) {
  constexpr std::string_view kForms[] = {
      "infiniband",
      "bond",
      "adopt",
      "gateway",
      "gateway6",
      "routes",
      "ipv6",
      "transit",
      "network_backend"};
  return std::find(std::begin(kForms), std::end(kForms), feature) != std::end(kForms);
}

std::vector<Observation> observe_link(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  LinkObserver observer{facts, diagnostics};
  std::vector<Observation> observations;
  for (const Resource& resource : wanted)
    observations.push_back(observer.observe(resource));
  report_second_default_routes(wanted, facts, diagnostics);
  return observations;
}

std::vector<Resource> link_orphans(
    std::string_view kind, std::span<const Resource> wanted, const NodeFacts& facts) {
  const std::vector<Card>& cards = inventory_of(facts);
  const RunningLinks& links = running_links(facts);
  std::vector<FoundLink> taken;
  for (const Resource& resource : wanted)
    taken.push_back(find_link(resource, cards, links));
  std::vector<Resource> left = left_in_files(network_files(facts), facts.node, kind, wanted);
  for (Resource& profile : unmarked_profiles(wanted, facts, kind)) {
    const bool known = std::ranges::any_of(
        left, [&profile](const Resource& each) { return each.address == profile.address; });
    if (!known) left.push_back(std::move(profile));
  }
  for (Resource& resource : left) {
    const FoundLink link = find_link(resource, cards, links);
    const bool superseded = std::ranges::any_of(
        taken, [&link](const auto& other) { return is_same_interface(link, other); });
    if (superseded) resource.binding.emplace(kSuperseded, true);
  }
  // Configuration that an adoption ends must end now and at the next boot.
  for (const Resource& resource : wanted) {
    if (!adopts(resource)) continue;
    FoundLink link = find_link(resource, cards, links);
    give_names(link, resource, facts);
    const auto adopted = link.why.empty() ? taken_over(resource, link, facts) : std::nullopt;
    if (!adopted) continue;
    const std::set<std::string> beyond = running_beyond(resource, link, *adopted, facts);
    if (beyond.empty()) continue;
    Resource ending = resource;
    ending.desired = DesiredAttributes{};
    for (const std::string& attribute : beyond)
      ending.desired.edit().emplace(attribute, DesiredAttribute{});
    left.push_back(std::move(ending));
  }
  return left;
}

Disruption link_disruption(
    const NodeFacts& /*facts*/, const Resource& resource, std::string_view attribute) {
  if (is_bound(resource, kSuperseded)) return Disruption::none;
  const bool is_live = live_option(attribute) != nullptr || attribute == "source_table" ||
                       is_live_attribute(attribute);
  return is_live ? Disruption::traffic : Disruption::link;
}

Result<Work> work_on_link(const Change& change, const WorkContext& context) {
  const auto impossible = [&change](std::string_view why) {
    return fabric::impossible(change.resource, why);
  };
  const std::vector<Card>& cards = inventory_of(context.facts);
  const RunningLinks& links = running_links(context.facts);
  FoundLink link = find_link(change.resource, cards, links);
  give_names(link, change.resource, context.facts);
  if (!link.why.empty()) return impossible(link.why);
  const BackendChoice choice =
      choose_backend(context.facts, bound_text(change.resource, keys::kBackend), link.port->netdev);
  if (choice.backend == nullptr)
    return impossible("no supported network configuration on the node");
  if (!choice.lacks.empty() && !is_orphan(change.resource)) return impossible(choice.lacks);
  // No file is written for an orphan.
  const LinkConfig wanted =
      is_orphan(change.resource) ? LinkConfig{} : config_of(change.resource, link.target);
  if (routes_transit(wanted) && !choice.backend->can_route_transit())
    return impossible(fmt::format("{} has no `transit: static`", choice.backend->name()));
  const std::string obstacle = choice.backend->obstacle(link.target, wanted);
  if (!obstacle.empty()) return impossible(obstacle);
  return link_work(change, context, {link, links, *choice.backend});
}

}  // namespace

// Network interfaces, now and after a boot. Kind "interface": MTU, addresses and routes of one port
// of a card, or its membership in a bond; on InfiniBand the mode of IPoIB. "bond": the bond of a
// network of mode lag, its options and its slaves; the changes that ports need to become its slaves
// are its work too, so that a port is moved into a bond once and not twice. "vlan": an 802.1Q VLAN
// on a port or a bond. "ipoib": an IPoIB child in one partition of the port's subnet. They differ
// in the binding of their resources (find_link). Diagnostics: foreign-configuration,
// interface-name-unknown, network-backend-unknown, package-missing, bond-not-aggregated. Supports
// every form of these kinds that expand() makes.
Provider link_provider(std::string_view kind) {
  return {
      .kind = kind,
      .probes = probes_of_link,
      .supports = link_supports,
      .observe = observe_link,
      .orphans = [kind](
                     std::span<const Resource> wanted,
                     const NodeFacts& facts) { return link_orphans(kind, wanted, facts); },
      .disruption = link_disruption,
      .work = work_on_link,
      .folders =
          {"/etc/systemd/network/",
           "/etc/network/interfaces.d/",
           "/etc/netplan/",
           "/etc/NetworkManager/system-connections/",
           "/etc/sysconfig/network-scripts/",
           "/etc/udev/rules.d/"},
  };
}

}  // namespace fabric::providers
