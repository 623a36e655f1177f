// SPDX-License-Identifier: Apache-2.0
// Ends of cables on hosts: those that a person is asked to connect, and what is watched of all.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/expand/parts.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric {

namespace {

using expansion::port_name;

// "connect pve1/cx5/1 to leaf1/7 (label A-12, 3m, dac)"
std::string instruction(const CableSpec& cable) {
  const auto& [first, second] = std::minmax(cable.a.value, cable.b.value);
  std::vector<std::string> about;
  if (!cable.label.empty()) about.push_back("label " + cable.label);
  for (const std::string* text : {&cable.length, &cable.type, &cable.speed}) {
    if (!text->empty()) about.push_back(*text);
  }
  return fmt::format(
      "connect {} to {}{}",
      first.str(),
      second.str(),
      about.empty() ? "" : fmt::format(" ({})", join(about, ", ")));
}

const NodeSpec* host_of(const FabricSpec& spec, const PortRef& port) {
  const auto node = spec.nodes.find(port.node);
  const bool is_host = !port.adapter.empty() && node != spec.nodes.end() &&
                       is_host_of_ours(spec, node->second) && !is_offline(node->second);
  return is_host ? &node->second : nullptr;
}

// True for a cable that is expected to have no link.
bool is_dark(const FabricSpec& spec, const CableSpec& cable) {
  return is_offline(spec, cable.a.value.node) || is_offline(spec, cable.b.value.node);
}

// Waits for what makes a port the end of a cable, at either end: link type, and that it is up.
void wait_for_ends(
    Resource& resource, const CableSpec& cable, const std::vector<Resource>& resources) {
  for (const PortRef* end : {&cable.a.value, &cable.b.value}) {
    for (const auto& [kind, name] :
         {std::pair{"settings", end->adapter}, std::pair{"interface", port_name(*end)}}) {
      ResourceAddress before{end->node, kind, name};
      if (expansion::has_resource(resources, before)) resource.after.push_back(std::move(before));
    }
  }
}

}  // namespace

std::vector<Resource> expansion::expand_carriers(
    const Scope& scope, const std::vector<Resource>& resources) {
  std::vector<Resource> carriers;
  for (const auto& [name, network] : scope.spec().networks) {
    for (const CableSpec& cable : network.cables) {
      if (is_dark(scope.spec(), cable)) continue;
      for (const auto& [end, other] :
           {std::pair{&cable.a.value, &cable.b.value}, std::pair{&cable.b.value, &cable.a.value}}) {
        const NodeSpec* host = host_of(scope.spec(), *end);
        const bool is_kept_up =
            host != nullptr &&
            (expansion::has_resource(resources, {end->node, "interface", port_name(*end)}) ||
             expansion::has_resource(resources, {end->node, "ipoib", port_name(*end)}));
        if (!is_kept_up) continue;
        std::vector<Resource> none;
        const NodeResources node{scope, *host, none};
        Resource& resource = carriers.emplace_back(Resource{
            {end->node, std::string{kinds::kCarrier}, port_name(*end)},
            node.port_binding(*end),
            {},
            {},
            cable.range});
        resource.binding.emplace(keys::kOwnAdapter, end->adapter);
        resource.binding.emplace(keys::kOtherEnd, other->str());
        resource.binding.emplace(keys::kOtherNode, other->node.str());
        resource.binding.emplace(keys::kOtherAdapter, other->adapter);
      }
    }
  }
  return carriers;
}

std::vector<Resource> cables_to_connect(
    const FabricSpec& spec, const std::vector<Resource>& resources, Duration wait) {
  const expansion::Scope scope{spec};
  std::vector<Resource> cables;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value == Mode::infiniband) continue;
    for (const CableSpec& cable : network.cables) {
      if (is_dark(spec, cable)) continue;
      for (const PortRef* end : {&cable.a.value, &cable.b.value}) {
        const NodeSpec* host = host_of(spec, *end);
        if (host == nullptr) continue;
        std::vector<Resource> none;
        const expansion::NodeResources node{scope, *host, none};
        Resource resource{
            {end->node, std::string{kinds::kCable}, port_name(*end)},
            node.port_binding(*end),
            {},
            {},
            cable.range};
        if (host->state.value == NodeState::observe) resource.binding.emplace(keys::kObserve, true);
        resource.platform = host->platform.value;
        resource.binding.emplace(keys::kInstruction, instruction(cable));
        resource.binding.emplace(keys::kWaitMs, std::int64_t{wait.count()});
        const std::string reason = "the document has a cable at this port";
        expansion::want(resource, "carrier", true, cable.range, reason);
        wait_for_ends(resource, cable, resources);
        cables.push_back(std::move(resource));
      }
    }
  }
  return cables;
}

}  // namespace fabric
