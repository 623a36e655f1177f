// SPDX-License-Identifier: Apache-2.0
// A row for each kind of resource of ESXi hosts.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers::esxi {

Provider adapter_provider();
Provider drain_provider();
Provider module_provider();
Provider os_provider();
Provider passthrough_provider();
Provider recovery_provider();
Provider settings_provider();
Provider software_provider();
Provider sriov_provider();
Provider vswitch_provider();

// The facts of an ESXi host that can be written into a document: its cards with their virtual
// functions, options of their drivers, and virtual switches on their ports.
// REQUIRES: facts.reachable().
SeenNode see_host(const NodeFacts& facts);

}  // namespace fabric::providers::esxi
