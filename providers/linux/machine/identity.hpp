// SPDX-License-Identifier: Apache-2.0
// The identity of a Linux host and of its system, from the probe "identity".
#pragma once

#include <string_view>

#include "engine/platform/facts.hpp"
#include "engine/platform/identity.hpp"
#include "engine/platform/probe.hpp"

namespace fabric::platform {

Probe identity_probe();
Identity identity_of(const NodeFacts& facts);
// True for 8-4-4-4-12 lower-case hex digits and nothing else.
bool is_boot_id(std::string_view text);

}  // namespace fabric::platform
