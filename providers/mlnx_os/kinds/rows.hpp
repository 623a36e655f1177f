// SPDX-License-Identifier: Apache-2.0
// A row for each kind of resource of switches with MLNX-OS and Onyx.
#pragma once

#include "engine/model/switch_configuration.hpp"
#include "engine/provider/provider.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers::onyx {

Provider os_provider();
Provider port_provider();
Provider configuration_provider();
Provider bond_provider();
Provider vlan_provider();
Provider mlag_provider();
Provider qos_provider();
Provider manager_provider();

// The facts of a reached switch that can be written into a document.
SeenNode see_switch(const NodeFacts& facts);

}  // namespace fabric::providers::onyx
