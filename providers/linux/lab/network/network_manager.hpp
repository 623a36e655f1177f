// SPDX-License-Identifier: Apache-2.0
// NetworkManager 1.42 as a server has it: without profiles of its own making (no-auto-default), and
// keeping what it configured while a carrier is away (ignore-carrier). What it does was seen with
// 1.42.4: a profile that changes on the disk changes nothing that runs until it is activated again;
// one that goes takes what it configured with it; one that comes is activated at once where its
// device is free. A device that was configured by hand is "connected (externally)", and left alone
// until a profile is activated by hand.
#pragma once

#include <string>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

inline constexpr const char* kNetworkManagerUnit = "NetworkManager";

bool network_manager_runs(const LinuxHost& machine);
// The files are read, what was active under a profile that is still there goes on, with what it has
// besides, and what is free is activated.
void network_manager_start(LinuxHost& machine, const Network& network);
void network_manager_reload(LinuxHost& machine, const Network& network);

// With nmcli's exit status, and what it says.
struct ProfileActivation {
  int status = 0;
  std::string message;
};
ProfileActivation activate_profile(
    LinuxHost& machine, const Network& network, const ConnectionProfile& profile);
// All that the profile made goes; a bond, a bridge and a VLAN with it.
void deactivate_device(LinuxHost& machine, const Network& network, const std::string& device);
// Every free device is brought up by a profile that wants to be.
void activate_automatically(LinuxHost& machine, const Network& network);

const ActiveDevice* active_device(const LinuxHost& machine, const std::string& device);
// "connected", "connected (externally)", "disconnected", "unmanaged", ...
std::string device_state(const LinuxHost& machine, const Interface& interface);
std::string device_type(const Interface& interface);

}  // namespace fabric::lab
