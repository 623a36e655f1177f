// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/network_differences.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/model/platform.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric::verify {

namespace {

struct Compared {
  std::string_view kind, attribute, words;
};

constexpr Compared kAtSwitches[] = {
    {kinds::kInterface, "access_vlan", "the VLAN of frames without a tag"},
    {kinds::kBond, "access_vlan", "the VLAN of frames without a tag"},
    {kinds::kInterface, "bridged", "whether the port is in the bridge"},
    {kinds::kBond, "bridged", "whether the bond is in the bridge"},
    {kinds::kInterface, "addresses", "the address of the port"},
    {kinds::kVlan, "id", "the VLAN carried at all ports of the network"}};

// "" is every kind of interface.
constexpr Compared kAtHosts[] = {
    {kinds::kVlan, "id", "the number of the VLAN"},
    {"", "addresses", "the list of addresses"},
    {"", "routes", "the list of routes"},
    {"", "gateway", "the gateway"},
    {"", "gateway6", "the gateway of IPv6"}};

bool is_interface(std::string_view kind) {
  return kind == kinds::kInterface || kind == kinds::kBond || kind == kinds::kVlan ||
         kind == kinds::kIpoib;
}

const std::optional<Reading>& running_of(const Observation& seen, std::string_view attribute) {
  static const std::optional<Reading> none;
  const auto found = seen.attributes.find(attribute);
  return found == seen.attributes.end() ? none : found->second.running;
}

void compare_host(const Resource& resource, const Observation& seen, Diagnostics& diagnostics) {
  const std::optional<Reading>& addresses = running_of(seen, "addresses");
  const Value* found = addresses ? addresses->value() : nullptr;
  if (!is_interface(resource.address.kind) || found == nullptr || *found == Value{List{}}) return;
  for (const Compared& each : kAtHosts) {
    const auto wanted = resource.desired.find(each.attribute);
    const std::optional<Reading>& running = running_of(seen, each.attribute);
    if ((!each.kind.empty() && resource.address.kind != each.kind) ||
        wanted == resource.desired.end() || !running || running->is_unknown() ||
        running->equals(wanted->second.value))
      continue;
    diagnostics
        .error(
            "host-network-differs",
            wanted->second.source,
            fmt::format(
                "{}: {} is {}, but the document says {}",
                resource.address.str(),
                each.words,
                running->text(),
                to_text(wanted->second.value)))
        .about(resource.address.node)
        .with_help("`fabric plan` shows the change, and `fabric apply` makes it");
  }
}

}  // namespace

std::vector<Diagnostic> network_differences(
    const std::vector<Resource>& resources, const discovery::Snapshot& snapshot) {
  Diagnostics diagnostics;
  for (const Resource& resource : resources) {
    const PlatformTraits& platform = traits(resource.platform);
    const Observation* seen = snapshot.find(resource.address);
    if (!platform.is_switch || !platform.is_managed || seen == nullptr) continue;
    for (const Compared& each : kAtSwitches) {
      const auto wanted = resource.desired.find(each.attribute);
      // The VLAN of frames without a tag, which has no name, is told of its ports.
      const bool has_no_name =
          each.kind == kinds::kVlan && resource.address.name.str().find('.') == std::string::npos;
      if (resource.address.kind != each.kind || has_no_name || wanted == resource.desired.end())
        continue;
      const std::optional<Reading>& running = running_of(*seen, each.attribute);
      if (!running || running->equals(wanted->second.value)) continue;
      const std::string wish = to_text(wanted->second.value);
      const std::string address = resource.address.str();
      if (running->is_unknown()) {
        diagnostics
            .error(
                "switch-vlan-unknown",
                wanted->second.source,
                fmt::format(
                    "{}: {} is unknown, but the document says {}", address, each.words, wish))
            .about(resource.address.node)
            .with_help(fmt::format("the answer of the switch does not tell: {}", running->why()));
        continue;
      }
      diagnostics
          .error(
              "switch-vlan-differs",
              wanted->second.source,
              fmt::format(
                  "{}: {} is {}, but the document says {}",
                  address,
                  each.words,
                  running->text(),
                  wish))
          .about(resource.address.node)
          .with_help("`fabric plan` shows the change, and `fabric apply` makes it");
    }
  }
  return diagnostics.items();
}

std::vector<Diagnostic> host_network_differences(
    const FabricSpec& spec,
    const std::vector<Resource>& resources,
    const discovery::Snapshot& snapshot) {
  Diagnostics diagnostics;
  for (const Resource& resource : resources) {
    const NodeSpec* node = spec.find_node(resource.address.node.str());
    const Observation* seen = snapshot.find(resource.address);
    const bool is_managed = node != nullptr && node->state.value == NodeState::managed;
    if (is_managed && seen != nullptr && traits(resource.platform).linux_host)
      compare_host(resource, *seen, diagnostics);
  }
  return diagnostics.items();
}

}  // namespace fabric::verify
