// SPDX-License-Identifier: Apache-2.0
// Which switch of the subnet, or which switches of a director, is which node of the document, and
// the numbers of their ports.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/subnet/node_description.hpp"
#include "engine/verify/cables/wire_place.hpp"
#include "engine/verify/cables/wire_ports.hpp"

namespace fabric::verify {

class WireSwitches {
 public:
  // Both must outlive this.
  WireSwitches(const FabricSpec& spec, const WirePorts& ports);

  Place place(const PortRef& port) const;  // REQUIRES: a port of a switch
  // The document's node that this switch of the subnet is, or is a part of; null: none.
  const NodeSpec* owner(std::size_t index) const;
  // Is some switch of the subnet known to be this node?
  bool is_found(const NodeName& node) const;
  // As the document would write it: "leaf1/7", "leaf1/1/4/1", "director/L16/U2/20". REQUIRES:
  // owner(place.node) != nullptr
  PortRef port_at(const WirePlace& place) const;
  // Two chips of one director: the cables between them are inside of it.
  bool in_one_chassis(std::size_t a, std::size_t b) const;

 private:
  using Module = std::tuple<char, std::int64_t, std::int64_t>;  // 'l', 16, 2 of "L16/U2"

  struct Found {
    std::optional<std::size_t> index;       // of one that is no director
    std::map<Module, std::size_t> modules;  // of a director
    std::string why_not;                    // "" if it was found
    bool not_seen = false;
    SwitchPorts ports = SwitchPorts::unknown;
    std::optional<SwitchPort> like;  // how the document writes the first port of it
  };

  void find(const NodeSpec& node);
  void take_named(const NodeSpec& node, Found& found) const;
  void take_chassis(const std::vector<std::size_t>& indexes, Found& found) const;

  const WirePorts& ports_;
  std::vector<SwitchDescription> described_;  // by index; of switches
  std::unordered_map<std::string, std::vector<std::size_t>> named_;
  std::map<NodeName, Found> found_;
  std::unordered_map<std::size_t, const NodeSpec*> owners_;
};

}  // namespace fabric::verify
