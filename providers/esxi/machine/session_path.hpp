// SPDX-License-Identifier: Apache-2.0
// The uplinks of an ESXi host that carry the session, from the probe "session".
#pragma once

#include "engine/platform/facts.hpp"
#include "engine/platform/probe.hpp"
#include "engine/platform/session_path.hpp"

namespace fabric::platform {

Probe esxi_session_probe();
SessionPath esxi_session_path(const NodeFacts& facts);

}  // namespace fabric::platform
