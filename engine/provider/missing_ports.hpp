// SPDX-License-Identifier: Apache-2.0
// Ports that the document names and the switch does not have, for example parts of a whole port.
#pragma once

#include <span>

#include "engine/base/diagnostic.hpp"
#include "engine/model/platform.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/host_network.hpp"

namespace fabric {

// Reports `switch-port-missing` once for each port. `wanted`: all of one node, of `platform`; may
// be empty. `there`: the ports of that node; empty: they are not known.
void report_missing_ports(
    Platform platform,
    std::span<const Resource* const> wanted,
    std::span<const NetDevice> there,
    Diagnostics& diagnostics);

}  // namespace fabric
