// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/model/platform.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/verify/cables/cables.hpp"

namespace fabric::verify {

namespace {

// "" is every kind of interface.
struct Compared {
  bool at_switch;
  std::string_view kind, attribute, words;
};

constexpr Compared kCompared[] = {
    {true, kinds::kInterface, "access_vlan", "the VLAN of frames without a tag"},
    {true, kinds::kBond, "access_vlan", "the VLAN of frames without a tag"},
    {true, kinds::kInterface, "bridged", "whether the port is in the bridge"},
    {true, kinds::kBond, "bridged", "whether the bond is in the bridge"},
    {true, kinds::kInterface, "addresses", "the address of the port"},
    {true, kinds::kVlan, "id", "the VLAN carried at all ports of the network"},
    {false, kinds::kVlan, "id", "the number of the VLAN"},
    {false, "", "addresses", "the list of addresses"},
    {false, "", "routes", "the list of routes"},
    {false, "", "gateway", "the gateway"},
    {false, "", "gateway6", "the gateway of IPv6"}};

bool is_interface(std::string_view kind) {
  return kind == kinds::kInterface || kind == kinds::kBond || kind == kinds::kVlan ||
         kind == kinds::kIpoib;
}

const std::optional<Reading>& running_of(const Observation& seen, std::string_view attribute) {
  static const std::optional<Reading> none;
  const auto found = seen.attributes.find(attribute);
  return found == seen.attributes.end() ? none : found->second.running;
}

bool is_compared(const Compared& each, const Resource& resource, const Observation& seen) {
  const std::string_view kind = resource.address.kind;
  if (each.at_switch != traits(resource.platform).is_switch) return false;
  if (each.kind.empty() ? !is_interface(kind) : kind != each.kind) return false;
  // The VLAN of frames without a tag, which has no name, is told of its ports.
  if (each.at_switch)
    return kind != kinds::kVlan || resource.address.name.str().find('.') != std::string::npos;
  const std::optional<Reading>& addresses = running_of(seen, "addresses");
  const Value* found = addresses ? addresses->value() : nullptr;
  return found != nullptr && *found != Value{List{}};
}

void compare(
    const Compared& each,
    const Resource& resource,
    const Observation& seen,
    Diagnostics& diagnostics) {
  const auto wanted = resource.desired.find(each.attribute);
  const std::optional<Reading>& running = running_of(seen, each.attribute);
  if (wanted == resource.desired.end() || !running || running->equals(wanted->second.value) ||
      (running->is_unknown() && !each.at_switch))
    return;
  const bool unknown = running->is_unknown();
  diagnostics
      .error(
          unknown          ? "switch-vlan-unknown"
          : each.at_switch ? "switch-vlan-differs"
                           : "host-network-differs",
          wanted->second.source,
          fmt::format(
              "{}: {} is {}, but the document says {}",
              resource.address.str(),
              each.words,
              unknown ? "unknown" : running->text(),
              to_text(wanted->second.value)))
      .about(
          {resource.address.node,
           fmt::format("{}/{}", resource.address.kind, resource.address.name.str())})
      .with_help(
          unknown ? fmt::format("the answer of the switch does not tell: {}", running->why())
                  : "`fabric plan` shows the change, and `fabric apply` makes it");
}

}  // namespace

std::vector<Diagnostic> network_differences(
    const FabricSpec& spec,
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot,
    ComparedAt where) {
  Diagnostics diagnostics;
  for (const Resource& resource : resources) {
    const PlatformTraits& platform = traits(resource.platform);
    const NodeSpec* node = spec.find_node(resource.address.node.str());
    const Observation* seen = snapshot.find(resource.address);
    const bool is_managed = node != nullptr && node->state.value == NodeState::managed;
    const bool is_judged = platform.is_switch ? platform.is_managed
                                              : where == ComparedAt::switches_and_hosts &&
                                                    platform.linux_host && is_managed;
    if (!is_judged || seen == nullptr) continue;
    for (const Compared& each : kCompared) {
      if (is_compared(each, resource, *seen)) compare(each, resource, *seen, diagnostics);
    }
  }
  return diagnostics.items();
}

}  // namespace fabric::verify
