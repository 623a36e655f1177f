// SPDX-License-Identifier: Apache-2.0
// Cables between two hosts of the document.
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/expand/parts.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric::expansion {

namespace {

bool has(const std::vector<Resource>& resources, const ResourceAddress& address) {
  const auto found = std::lower_bound(
      resources.begin(), resources.end(), address, [](const Resource& each, const auto& wanted) {
        return each.address < wanted;
      });
  return found != resources.end() && found->address == address;
}

bool is_host_port(const FabricSpec& spec, const PortRef& port) {
  const auto node = spec.nodes.find(port.node);
  return !port.adapter.empty() && node != spec.nodes.end() && is_host_of_ours(spec, node->second) &&
         !is_offline(node->second);
}

Resource link_of(
    const FabricSpec& spec, const CableSpec& cable, const std::vector<Resource>& resources) {
  const auto& [first, second] = std::minmax(cable.a.value, cable.b.value);
  Resource link{
      {first.node,
       std::string{kinds::kLink},
       fmt::format("{}-{}.{}", port_name(first), second.node.str(), port_name(second))},
      {},
      {},
      {},
      cable.range};
  link.check_only = true;
  link.binding.emplace(keys::kPort, port_name(first));
  link.binding.emplace(keys::kPeer, second.node.str());
  link.binding.emplace(keys::kPeerPort, port_name(second));
  if (spec.nodes.at(first.node).state.value == NodeState::observe)
    link.binding.emplace(keys::kObserve, true);
  for (const auto& [attribute, text] :
       {std::pair{"label", &cable.label},
        std::pair{"length", &cable.length},
        std::pair{"type", &cable.type},
        std::pair{"speed", &cable.speed}}) {
    if (!text->empty()) want(link, attribute, *text, cable.range, "the document says so");
  }
  for (const PortRef* end : {&first, &second}) {
    for (const auto& [kind, name] :
         {std::pair{kinds::kSettings, end->adapter},
          std::pair{kinds::kInterface, port_name(*end)}}) {
      ResourceAddress before{end->node, std::string{kind}, name};
      if (has(resources, before)) link.after.push_back(std::move(before));
    }
  }
  return link;
}

}  // namespace

std::vector<Resource> expand_links(const Scope& scope, const std::vector<Resource>& resources) {
  const FabricSpec& spec = scope.spec();
  std::vector<Resource> links;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      if (is_host_port(spec, cable.a.value) && is_host_port(spec, cable.b.value))
        links.push_back(link_of(spec, cable, resources));
    }
  }
  return links;
}

}  // namespace fabric::expansion
