// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/infiniband_subnets.hpp"

#include <algorithm>
#include <optional>

#include "engine/graph/dag.hpp"

namespace fabric {

namespace {

// Vertices are host ports and switches, numbered in the order in which the network names them.
class Vertices {
 public:
  std::size_t number(const PortRef& port) {
    const PortRef key = port.adapter.empty() ? PortRef{port.node, "", ""} : port;
    return numbers_.emplace(key, numbers_.size()).first->second;
  }
  std::optional<std::size_t> first_switch() const {
    std::optional<std::size_t> first;
    for (const auto& [key, number] : numbers_) {
      if (key.adapter.empty() && (!first || number < *first)) first = number;
    }
    return first;
  }
  const std::map<PortRef, std::size_t>& all() const { return numbers_; }

 private:
  std::map<PortRef, std::size_t> numbers_;
};

void join(graph::Dag& joined, std::size_t a, std::size_t b) {
  if (a != b) joined.add_edge(a, b);
}

}  // namespace

InfinibandSubnets infiniband_subnets(const NetworkSpec& network) {
  Vertices vertices;
  std::map<std::size_t, SourceRange> places;
  for (const CableSpec& cable : network.cables) {
    places.emplace(vertices.number(cable.a.value), cable.range);
    places.emplace(vertices.number(cable.b.value), cable.range);
  }
  for (const Sourced<PortRef>& port : network.ports)
    places.emplace(vertices.number(port.value), port.range);

  graph::Dag joined{vertices.all().size()};
  for (const CableSpec& cable : network.cables)
    join(joined, vertices.number(cable.a.value), vertices.number(cable.b.value));
  if (!network.ports.empty()) {
    const std::size_t meeting =
        vertices.first_switch().value_or(vertices.number(network.ports.front().value));
    for (const Sourced<PortRef>& port : network.ports)
      join(joined, meeting, vertices.number(port.value));
  }

  // Components are numbered by their lowest vertex, so by their first mention.
  const std::vector<std::size_t> component = joined.components();
  InfinibandSubnets result;
  for (std::size_t vertex = 0; vertex < component.size(); ++vertex) {
    if (component[vertex] < result.subnets.size()) continue;
    result.subnets.push_back({{}, {}, places[vertex]});
  }
  for (const auto& [key, vertex] : vertices.all()) {
    InfinibandSubnet& subnet = result.subnets[component[vertex]];
    if (key.adapter.empty()) {
      subnet.switches.push_back(key.node);
      result.of_switch.emplace(key.node, component[vertex]);
    } else {
      subnet.host_ports.push_back(key);
      result.of_port.emplace(key, component[vertex]);
    }
  }
  return result;
}

bool places_manager(const NetworkSpec& network, const PortRef& port) {
  return std::ranges::any_of(network.subnet_managers, [&port](const SubnetManagerPlacement& each) {
    return each.node.value == port.node.str() && port_fits(port, each.port.value);
  });
}

bool port_fits(const PortRef& port, std::string_view wanted) {
  if (wanted.empty()) return true;
  const std::size_t slash = wanted.find('/');
  if (slash == std::string_view::npos) return port.port == wanted;
  return port.adapter == wanted.substr(0, slash) && port.port == wanted.substr(slash + 1);
}

}  // namespace fabric
