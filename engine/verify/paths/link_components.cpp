// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/link_components.hpp"

#include <algorithm>

#include "engine/model/topology/infiniband_subnets.hpp"

namespace fabric::verify {

PortRef LinkComponents::key_of(const PortRef& port) const {
  const bool joins = port.adapter.empty() || through_ == Through::hosts;
  return joins ? PortRef{port.node, "", ""} : port;
}

LinkComponents::LinkComponents(
    const NetworkSpec& network, const std::set<std::size_t>& without, Through through)
    : through_{through} {
  for (std::size_t i = 0; i < network.cables.size(); ++i) {
    if (!without.contains(i)) link(network.cables[i].a.value, network.cables[i].b.value);
  }
  if (network.mode.value != Mode::infiniband || network.ports.empty()) return;
  const InfinibandSubnets all = infiniband_subnets(network);
  const PortRef& first = network.ports.front().value;
  for (const Sourced<PortRef>& port : network.ports)
    link(first, port.value);
  const auto subnet = all.of_port.find(first);
  if (subnet == all.of_port.end()) return;
  for (const NodeName& each : all.subnets[subnet->second].switches)
    link(first, PortRef{each, "", ""});
}

std::size_t LinkComponents::vertex(const PortRef& port) {
  const auto [found, added] = vertices_.emplace(key_of(port), towards_root_.size());
  if (added) towards_root_.push_back(found->second);
  return found->second;
}

std::size_t LinkComponents::root(std::size_t vertex) const {
  while (towards_root_[vertex] != vertex)
    vertex = towards_root_[vertex];
  return vertex;
}

void LinkComponents::link(const PortRef& a, const PortRef& b) {
  const std::size_t one = vertex(a);
  const std::size_t other = vertex(b);
  const std::size_t top = root(one);
  towards_root_[root(other)] = top;
  // Or the way to the root grows with every cable.
  towards_root_[one] = towards_root_[other] = top;
}

std::optional<std::size_t> LinkComponents::component(const PortRef& port) const {
  const auto found = vertices_.find(key_of(port));
  return found == vertices_.end() ? std::nullopt : std::optional{root(found->second)};
}

bool LinkComponents::connect(
    const std::vector<PortRef>& these, const std::vector<PortRef>& those) const {
  return std::ranges::any_of(these, [&](const PortRef& one) {
    const std::optional<std::size_t> here = component(one);
    return here && std::ranges::any_of(
                       those, [&](const PortRef& other) { return component(other) == here; });
  });
}

}  // namespace fabric::verify
