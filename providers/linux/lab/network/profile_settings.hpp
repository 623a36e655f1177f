// SPDX-License-Identifier: Apache-2.0
// What NetworkManager makes of a device by a profile.
#pragma once

#include <string>

#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// The device is there. "" or why it failed. `master` "" = it is no port; `keeps`: addresses that it
// has besides stay.
std::string apply_profile(
    LinuxHost& machine,
    const Network& network,
    const ActiveDevice& active,
    const std::string& master,
    bool keeps);
void leave_master(LinuxHost& machine, Interface& interface);
// The default one of its type, or the first after it that no other device has.
std::uint32_t free_metric(const LinuxHost& machine, const ConnectionProfile& profile);

}  // namespace fabric::lab
