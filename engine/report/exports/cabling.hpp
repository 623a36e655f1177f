// SPDX-License-Identifier: Apache-2.0
// The cables of a document as exports write them.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/spec.hpp"

namespace fabric::report {

enum class Wire : std::uint8_t { infiniband, lldp, any };

struct ExportedCable {
  const CableSpec* cable = nullptr;
  const NetworkSpec* network = nullptr;
};

// The cables in order of network, then of the document. Fails, naming `format`, if there are none.
Result<std::vector<ExportedCable>> exported_cables(
    const FabricSpec& spec, Wire wire, std::string_view format);

// True if exports name the node: false for a node that is given up.
bool is_exported(const NodeSpec& node);

// A port of a host: "P1" if the host has one adapter and `only_adapter` allows to leave it out,
// else "cx5/P1". REQUIRES: !port.adapter.empty()
std::string host_port_text(const FabricSpec& spec, const PortRef& port, bool only_adapter);

// A port by its name on the node: "swp1", "rail0" where the document gives the name, else "P1".
std::string interface_text(const FabricSpec& spec, const PortRef& port);

}  // namespace fabric::report
