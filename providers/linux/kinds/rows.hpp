// SPDX-License-Identifier: Apache-2.0
// A row for each kind of resource of Linux hosts.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

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

}  // namespace fabric::providers
