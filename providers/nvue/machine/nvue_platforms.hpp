// SPDX-License-Identifier: Apache-2.0
// The platforms `cumulus` and `nvos`: switches that are configured by NVUE (`nv`), on a Linux
// system with sshd, systemd and flock. The lock, boots and the path of the session are as on a
// Linux host; configuration is set by `nv` alone, never by files.
#pragma once

#include <string_view>

#include "engine/platform/host_platform.hpp"
#include "engine/platform/path_tests.hpp"

namespace fabric::platform {

// One object each for the whole program; they have no state.
const HostPlatform& cumulus_platform();
const HostPlatform& nvos_platform();

// Errors and lost links of a switch with NVUE, by the counters of its ports.

class NvuePortCounters final : public PortCounters {
 public:
  remote::Step read_ports() const override;
  PortReadings port_readings(const remote::StepResult& result) const override;
};
// Parses `nv show interface --operational -o json`: `link.stats` of Ethernet ports, `link.counters`
// of InfiniBand ones (E-nvue-counters). Counters get the names that a kernel gives them, so that
// ports of switches and of hosts are judged alike.
PortReadings parse_nvue_counters(std::string_view text);

}  // namespace fabric::platform
