// SPDX-License-Identifier: Apache-2.0
// A row for each kind of resource of ESXi hosts.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

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

}  // namespace fabric::providers::esxi
