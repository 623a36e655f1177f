// SPDX-License-Identifier: Apache-2.0
// Meshes: a cable between every pair of stations, each by its lowest free port.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "engine/model/document/endpoint.hpp"
#include "engine/model/document/layers.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

class MeshExpander {
 public:
  // REQUIRES: all arguments outlive the expander; every other cable and port list of the document
  // is decoded, for a port that one of them names is not free.
  MeshExpander(const FabricSpec& spec, const EndpointReader& endpoints, Findings& findings)
      : spec_{spec}, endpoints_{endpoints}, findings_{findings} {}

  // Adds the cables of the meshes that `network` writes to `into`. A station that has not enough
  // free ports is `port-unknown`.
  void expand(const Layers& network, NetworkSpec& into);

 private:
  // A node, or one of its adapters, that hands out its free ports in order.
  struct Station {
    const NodeSpec* node = nullptr;
    std::string adapter;  // "" = all adapters of the node
    SourceRange range;
    std::size_t adapter_index = 0;
    std::uint32_t next_port = 1;
  };

  void collect_used_ports();
  std::optional<Station> station(const Sourced<std::string>& text) const;
  std::optional<PortRef> take_free_port(Station& station);
  std::optional<PortRef> take_switch_port(Station& station);
  void expand_one(const Layers& cable, SourceRange range, NetworkSpec& into);

  const FabricSpec& spec_;
  const EndpointReader& endpoints_;
  Findings& findings_;
  std::optional<std::set<PortRef>> used_;  // collected at the first mesh
};

}  // namespace fabric
