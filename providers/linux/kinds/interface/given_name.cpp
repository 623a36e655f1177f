// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/given_name.hpp"

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/orphan.hpp"
#include "providers/linux/kinds/interface/backends/backend_choice.hpp"
#include "providers/linux/kinds/interface/bound.hpp"
#include "providers/linux/kinds/port/name_file.hpp"

namespace fabric::providers {

namespace {

constexpr std::size_t kLongestGivenName = 15;  // IFNAMSIZ less its zero byte

// "cx5.1" to "encx5p1": Proxmox shows interfaces whose names begin so as network cards, and neither
// the kernel nor udev gives such a name itself.
std::string given_name(std::string_view label, bool infiniband) {
  const std::size_t point = label.rfind('.');
  if (point == std::string_view::npos) return {};
  std::string name = fmt::format(
      "{}{}p{}", infiniband ? "ib" : "en", label.substr(0, point), label.substr(point + 1));
  return name.size() <= kLongestGivenName ? name : std::string{};
}

// The boot that is to come makes it the other type.
bool changes_type(const AdapterPort& port, bool infiniband) {
  if (!port.netdev.empty()) return port.netdev_is_ethernet == infiniband;
  return port.link_layer == (infiniband ? LinkLayer::ethernet : LinkLayer::infiniband);
}

// The name that the port `label` will get; "" if it can't get one.
std::string name_to_come(
    std::string_view label, const AdapterPort& port, bool infiniband, const RunningLinks& links) {
  if (!changes_type(port, infiniband)) return {};
  std::string name = given_name(label, infiniband);
  return links.exists(name) ? std::string{} : name;
}

NameFile file_of(const LinkTarget& target, const ResourceAddress& address) {
  const NamedPort named{target.card, target.port, target.infiniband};
  const bool by_rule = is_named_by_rule(named);
  NameFile file;
  file.path = by_rule ? fmt::format("/etc/udev/rules.d/70-fabric-{}-given.rules", address.name)
                      : fmt::format("/etc/systemd/network/40-fabric-{}.link", address.name);
  file.content = target.marker + name_text(named, target.name);
  // The file replaces the distribution's default: this line keeps the former alternative names.
  if (!by_rule) file.content += "AlternativeNamesPolicy=database onboard slot path\n";
  return file;
}

void name_port(LinkTarget& target, const Resource& resource, const RunningLinks& links) {
  target.name = name_to_come(resource.address.name, *target.port, target.infiniband, links);
  if (target.name.empty()) return;
  target.is_named = true;
  if (!is_orphan(resource)) target.name_file = file_of(target, resource.address);
}

// A port has this name by fabric's file, or by a foreign file, which then keeps the name.
void keep_name(LinkTarget& target, const Resource& resource, const FileTexts& files) {
  const bool given = target.name == given_name(resource.address.name, target.infiniband);
  if (target.is_named || !given || is_orphan(resource)) return;
  NameFile file = file_of(target, resource.address);
  const auto there = files.find(file.path);
  if (there == files.end() || !is_owned(there->second)) return;
  target.is_named = true;
  target.name_file = std::move(file);
}

void name_parent(FoundLink& link, const Resource& resource, const RunningLinks& links) {
  LinkTarget& target = link.target;
  if (!target.parent.empty() || target.parent_kind != kinds::kInterface) return;
  const bool infiniband = target.kind == LinkKind::ipoib_child;
  target.parent = name_to_come(target.parent_resource, *link.port, infiniband, links);
  if (!target.parent.empty()) target.name = name_above(resource, target.parent);
  if (target.name.size() > kLongestGivenName) target.parent = target.name = "";
}

void name_slaves(FoundLink& link, const RunningLinks& links) {
  for (Slave& slave : link.target.slaves) {
    if (slave.name.empty()) slave.name = name_to_come(slave.label, *slave.port, false, links);
  }
}

}  // namespace

void give_names(FoundLink& link, const Resource& resource, const NodeFacts& facts) {
  if (!link.why.empty()) return;
  LinkTarget& target = link.target;
  const RunningLinks& links = running_links(facts);
  const FileTexts& files = network_files(facts);
  if (target.kind == LinkKind::port && !target.name.empty())
    return keep_name(target, resource, files);
  const NetworkBackend* backend =
      choose_backend(facts, bound_text(resource, keys::kBackend), link.port->netdev).backend;
  const auto obstacle = [&] {
    return backend->obstacle(target, config_of(resource, target));
  };
  // Interfaces on a port use its name, even if the port's own file does not.
  const bool is_needed = target.kind == LinkKind::port && resource.binding.contains(keys::kCarries);
  if (backend == nullptr || (!is_needed && obstacle().empty())) return;
  const LinkTarget nameless = target;
  switch (target.kind) {
    case LinkKind::port:
      name_port(target, resource, links);
      break;
    case LinkKind::bond:
      name_slaves(link, links);
      break;
    case LinkKind::vlan:
    case LinkKind::ipoib_child:
      name_parent(link, resource, links);
      break;
  }
  // Another obstacle remains, or no name can be given.
  if (!obstacle().empty()) target = nameless;
}

bool is_name_given(const LinkTarget& target, const FileTexts& files) {
  if (!target.name_file) return true;
  const auto there = files.find(target.name_file->path);
  const NamedPort named{target.card, target.port, target.infiniband};
  return there != files.end() && is_owned(there->second) &&
         name_in_file(there->second, named) == target.name;
}

}  // namespace fabric::providers
