// SPDX-License-Identifier: Apache-2.0
// A row for each kind of resource of Linux hosts.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers {

Provider adapter_provider();
Provider cable_provider(std::string_view kind);  // or "carrier", of cables that are only watched
Provider drain_provider();
Provider firmware_provider();
Provider link_provider(std::string_view kind);
Provider link_name_provider();
Provider module_provider();
Provider os_provider();
Provider package_provider();
Provider qos_provider();
Provider settings_provider();
Provider software_provider();
Provider sriov_provider();
Provider subnet_manager_provider();
Provider sysctl_provider(std::string_view kind);
Provider forwarding_provider();

// The facts of a Linux host that can be written into a document.
// Has the ports that have an address, are in a bond, are chained, have a link as InfiniBand, or
// hear a neighbour at the other end. REQUIRES: facts.reachable(), of a Linux host.
SeenNode see_linux_host(const NodeFacts& facts);

}  // namespace fabric::providers
