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

#include "engine/model/names.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/subnet/node_description.hpp"
#include "engine/verify/cables/wire_ports.hpp"
#include "engine/verify/report/cable_report.hpp"

namespace fabric::verify {

// The place of a port of the document in the subnet, or why it is not known.
struct Place {
  std::optional<WirePlace> at;
  std::optional<Guid> port_guid;  // nullopt if unknown; also set for a port that was not seen
  std::string why_not;            // "c101 was not seen in the subnet"; "" if `at` is set
  WireLack lack = WireLack::none;
};

class WireSwitches {
 public:
  // The arguments must outlive this object.
  WireSwitches(const FabricSpec& spec, const WirePorts& ports);

  Place place(const PortRef& port) const;  // REQUIRES: a port of a switch
  // The document's switch that the subnet's node `index` is, or is a chip of; null if it is none.
  const NodeSpec* owner(std::size_t index) const;
  // True if some switch of the subnet is known to be this node.
  bool is_found(const NodeName& node) const;
  // The port in the document's words: "leaf1/7", "leaf1/1/4/1", "director/L16/U2/20". REQUIRES:
  // owner(place.node) != nullptr
  PortRef port_at(const WirePlace& place) const;
  // True for two chips of one director, whose cables are inside it.
  bool in_one_chassis(std::size_t a, std::size_t b) const;

 private:
  using Module = std::tuple<char, std::int64_t, std::int64_t>;  // 'l', 16, 2 of "L16/U2"

  struct Found {
    std::optional<std::size_t> index;       // in WirePorts::nodes(); nullopt for a director
    std::map<Module, std::size_t> modules;  // the chips of a director, by module
    std::string why_not;                    // "" if it was found
    bool not_seen = false;
    SwitchPorts ports = SwitchPorts::unknown;
    std::optional<SwitchPort> like;  // the document's first port of this switch
  };

  void find(const NodeSpec& node);
  void take_named(const NodeSpec& node, Found& found) const;
  void take_chassis(const std::vector<std::size_t>& indexes, Found& found) const;

  const WirePorts& ports_;
  std::vector<SwitchDescription> described_;  // by index in WirePorts::nodes(); switches only
  std::unordered_map<std::string, std::vector<std::size_t>> named_;
  std::map<NodeName, Found> found_;
  std::unordered_map<std::size_t, const NodeSpec*> owners_;
};

}  // namespace fabric::verify
