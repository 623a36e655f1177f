// SPDX-License-Identifier: Apache-2.0
// Which node and port of the subnet is which of the document, and what to call the others.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/model/spec.hpp"
#include "engine/verify/cables/wire_adapters.hpp"
#include "engine/verify/cables/wire_place.hpp"
#include "engine/verify/cables/wire_ports.hpp"
#include "engine/verify/cables/wire_switches.hpp"

namespace fabric::verify {

class WireNames {
 public:
  // All must outlive this.
  WireNames(const FabricSpec& spec, const WireEvidence& evidence, const WirePorts& ports);

  // A host's port by its port GUID, by `node_guid` of its adapter, by the node description, or by
  // what is left; a switch by `node_guid`, or by the node description.
  Place place(const PortRef& port) const;
  // The document's name of a port of the subnet; nullopt if its node is none of ours.
  std::optional<PortRef> port_at(const WirePlace& place) const;
  // True if the port there may be `port`, whose place is unknown, by everything that is known.
  bool may_be(const WirePlace& place, const PortRef& port) const;
  // No surprise without a cable in the document: what is inside a box, and routers.
  bool needs_no_cable(const WirePlace& a, const WirePlace& b) const;
  // That name, or "an adapter of c1, 'c1 mlx5_4' (0x...) port 1", or "an unknown device, 'sto7
  // HCA-1' (0x...) port 1".
  std::string text(const WirePlace& place) const;

 private:
  const WirePorts& ports_;
  WireSwitches switches_;
  WireAdapters adapters_;
  std::map<WirePlace, PortRef> declared_;  // ports of switches as the document writes them
};

}  // namespace fabric::verify
