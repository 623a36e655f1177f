// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/mesh.hpp"

#include <vector>

#include <fmt/format.h>

#include "engine/model/document/read.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric {

namespace {

// No node has ports for more; a switch has at most a few hundred.
constexpr std::size_t kLargestMesh = 1000;

}  // namespace

void MeshExpander::collect_used_ports() {
  if (used_) return;
  used_.emplace();
  for (const auto& [name, network] : spec_.networks) {
    for (PortRef& port : network.member_ports())
      used_->insert(std::move(port));
  }
}

std::optional<MeshExpander::Station> MeshExpander::station(const Sourced<std::string>& text) const {
  const std::size_t slash = text.value.find('/');
  Station station;
  station.node = endpoints_.node(std::string_view{text.value}.substr(0, slash), text.range);
  if (station.node == nullptr) return std::nullopt;
  station.range = text.range;
  if (slash == std::string::npos) return station;
  station.adapter = text.value.substr(slash + 1);
  if (station.node->find_adapter(station.adapter) != nullptr) return station;
  findings_.error(
      "port-unknown",
      text.range,
      fmt::format("{} has no adapter '{}'", station.node->name.str(), station.adapter));
  return std::nullopt;
}

std::optional<PortRef> MeshExpander::take_switch_port(Station& station) {
  const NodeSpec& node = *station.node;
  const PortNames names = traits(node.platform.value).port_names;
  for (;;) {
    const SwitchPort next{SwitchPort::Form::numbers, {station.next_port++}, '\0'};
    PortRef port{node.name, "", as_called(next, names, node.model.value).str()};
    if (used_->insert(port).second) return port;
  }
}

std::optional<PortRef> MeshExpander::take_free_port(Station& station) {
  if (is_switch(station.node->platform.value)) return take_switch_port(station);
  const std::vector<AdapterSpec>& adapters = *station.node->adapters;
  while (station.adapter_index < adapters.size()) {
    const AdapterSpec& adapter = adapters[station.adapter_index];
    const bool is_meant = station.adapter.empty() || station.adapter == adapter.name;
    if (!is_meant || station.next_port > adapter.ports.value) {
      ++station.adapter_index;
      station.next_port = 1;
      continue;
    }
    PortRef port{station.node->name, adapter.name, std::to_string(station.next_port++)};
    if (used_->insert(port).second) return port;
  }
  return std::nullopt;
}

void MeshExpander::expand_one(const Layers& cable, SourceRange range, NetworkSpec& into) {
  collect_used_ports();
  std::vector<Station> stations;
  for (const Sourced<std::string>& text : read_names(cable, "mesh", findings_)) {
    std::optional<Station> found = station(text);
    if (found) stations.push_back(std::move(*found));
  }
  const std::size_t count = stations.size();
  if (count < 2 || count > kLargestMesh) {
    findings_.error("out-of-range", range, fmt::format("a mesh can't be made of {} nodes", count));
    return;
  }
  if (!findings_.may_expand(count * (count - 1), range)) return;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      std::optional<PortRef> a = take_free_port(stations[i]);
      std::optional<PortRef> b = take_free_port(stations[j]);
      if (a && b) {
        into.cables.push_back(
            {{std::move(*a), stations[i].range},
             {std::move(*b), stations[j].range},
             range,
             read_text(cable, "label").value,
             read_text(cable, "length").value,
             read_text(cable, "type").value,
             read_text(cable, "speed").value,
             read_text(cable, "proof").value});
        continue;
      }
      const Station& full = a ? stations[j] : stations[i];
      findings_
          .error(
              "port-unknown",
              full.range,
              fmt::format(
                  "{} has no free port left for a mesh of {} nodes", full.node->name.str(), count))
          .with_help(fmt::format("every node of this mesh needs {} ports", count - 1));
      return;
    }
  }
}

void MeshExpander::expand(const Layers& network, NetworkSpec& into) {
  const Layer cables = network.value("cables");
  if (!cables) return;
  for (const yaml::Node& cable : cables.node->items) {
    const Layers layers{cable};
    if (layers.value("mesh")) expand_one(layers, cable.range, into);
  }
}

}  // namespace fabric
