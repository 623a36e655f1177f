// SPDX-License-Identifier: Apache-2.0
// NetworkManager 1.42 as on a server: without profiles of its own making (no-auto-default), and
// keeping its configuration while a carrier is away (ignore-carrier). Behaviour seen with 1.42.4: a
// profile that changes on the disk has no effect until it is activated again; a profile that is
// removed takes its configuration with it; a new profile is activated at once if its device is
// free. A device that was configured by hand is "connected (externally)", and left alone until a
// profile is activated by hand.
#pragma once

#include <string>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

inline constexpr const char* kNetworkManagerUnit = "NetworkManager";

bool network_manager_runs(const LinuxHost& machine);
// Reads the files. A device whose profile still exists stays active with all its configuration;
// free devices are activated.
void network_manager_start(LinuxHost& machine, const Network& network);
void network_manager_reload(LinuxHost& machine, const Network& network);

// nmcli's exit status and output.
struct ProfileActivation {
  int status = 0;
  std::string message;
};
ProfileActivation activate_profile(
    LinuxHost& machine, const Network& network, const ConnectionProfile& profile);
// Removes what the profile made, also a bond, bridge or VLAN.
void deactivate_device(LinuxHost& machine, const Network& network, const std::string& device);
// Activates on every free device a profile with autoconnect.
void activate_automatically(LinuxHost& machine, const Network& network);

const ActiveDevice* active_device(const LinuxHost& machine, const std::string& device);
// "connected", "connected (externally)", "disconnected", "unmanaged", ...
std::string device_state(const LinuxHost& machine, const Interface& interface);
std::string device_type(const Interface& interface);

}  // namespace fabric::lab
