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

// In order of network, then of writing. Fails where there is none, and names `format`.
Result<std::vector<ExportedCable>> exported_cables(
    const FabricSpec& spec, Wire wire, std::string_view format);

// The node, if it is one that others are told of: not one that is given up.
bool is_exported(const NodeSpec& node);

// A port of a host: "P1" where the host has one adapter and `only_adapter` may be left out, else
// "cx5/P1". REQUIRES: !port.adapter.empty()
std::string host_port_text(const FabricSpec& spec, const PortRef& port, bool only_adapter);

// A port as its node calls it: "swp1", "rail0" where the document gives the name, else "P1".
std::string interface_text(const FabricSpec& spec, const PortRef& port);

}  // namespace fabric::report
