// SPDX-License-Identifier: Apache-2.0
// The identity of an ESXi host and its release, from the probe "identity".
#pragma once

#include <string_view>

#include "engine/platform/facts.hpp"
#include "engine/platform/identity.hpp"
#include "engine/platform/probe.hpp"

namespace fabric::platform {

Probe esxi_identity_probe();
// Without a boot_id: ESXi has none (E-esxi-no-boot-id), and an uptime differs with each look.
Identity esxi_identity_of(const NodeFacts& facts);

}  // namespace fabric::platform
