// SPDX-License-Identifier: Apache-2.0
// A row for each kind of resource of switches with NVUE.
#pragma once

#include "engine/provider/provider.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers::nvue {

Provider os_provider();
Provider port_provider();
Provider bond_provider();
Provider vlan_provider();
Provider mlag_provider();
Provider qos_provider();
Provider manager_provider();

// The facts of a reached switch that can be written into a document.
SeenNode see_switch(const NodeFacts& facts);

}  // namespace fabric::providers::nvue
