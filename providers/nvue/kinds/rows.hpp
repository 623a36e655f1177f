// SPDX-License-Identifier: Apache-2.0
// A row for each kind of resource of switches with NVUE.
#pragma once

#include "engine/provider/provider.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers::nvue {

Provider os_provider();
Provider port_provider(std::string_view kind);
Provider bond_provider(std::string_view kind);
Provider vlan_provider(std::string_view kind);
Provider mlag_provider(std::string_view kind);
Provider qos_provider(std::string_view kind);
Provider manager_provider(std::string_view kind);

// What a document could say of a switch that was reached.
SeenNode see_switch(const NodeFacts& facts);

}  // namespace fabric::providers::nvue
