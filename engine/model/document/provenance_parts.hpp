// SPDX-License-Identifier: Apache-2.0
// What no line of the document says directly; for provenance.cpp.
#pragma once

#include <vector>

#include "engine/model/document/provenance.hpp"

namespace fabric {

// Defaults of a node that it does not overrule.
std::vector<Provenance> node_defaults(const NodeSpec& node);
// Defaults and allocated addresses of a network.
std::vector<Provenance> network_derived(const NetworkSpec& network);
std::vector<Provenance> rollout_defaults(const RolloutSpec& rollout);
// Networks, cables and addresses of one port.
std::vector<Provenance> explain_port(const FabricSpec& spec, const PortRef& port);

}  // namespace fabric
