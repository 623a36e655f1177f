// SPDX-License-Identifier: Apache-2.0
// A row for each kind of resource of ESX hosts (3.5, 4), which have a service console.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers::esx_classic {

Provider os_provider();
Provider adapter_provider();
Provider software_provider();
Provider settings_provider();
Provider module_provider();
Provider drain_provider();

}  // namespace fabric::providers::esx_classic
