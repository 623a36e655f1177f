// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/pending_boot_probe.hpp"

#include "engine/platform/pending_boot.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

Probe pending_boot_probe() {
  return {std::string{kPendingBootProbe}, std::string{sh::probe_pending_boot.text}};
}

}  // namespace fabric::platform
