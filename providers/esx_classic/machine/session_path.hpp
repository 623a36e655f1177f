// SPDX-License-Identifier: Apache-2.0
// By which uplinks of an ESX host the session comes in, from the probe "session".
#pragma once

#include "engine/platform/facts.hpp"
#include "engine/platform/probe.hpp"
#include "engine/platform/session_path.hpp"

namespace fabric::platform {

Probe esx_classic_session_probe();
SessionPath esx_classic_session_path(const NodeFacts& facts);

}  // namespace fabric::platform
