// SPDX-License-Identifier: Apache-2.0
// What a Linux host tells of its next boot (provider/pending_boot.hpp).
#pragma once

#include "engine/platform/probe.hpp"

namespace fabric::platform {

Probe pending_boot_probe();

}  // namespace fabric::platform
