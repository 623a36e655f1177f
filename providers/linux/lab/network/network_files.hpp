// SPDX-License-Identifier: Apache-2.0
// The files that configure the network of a simulated host, as one digest: a lab that cuts a host
// off for these files, and restores it when they are as before, needs no more of their meaning.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

std::string network_files_digest(const LinuxHost& machine);
// The files have just been activated, by a boot or by a command.
void note_network_in_force(LinuxHost& machine);

// The keyfiles of NetworkManager 1.42. A file that others can read, or that is no profile, is only
// logged.
inline constexpr std::string_view kKeyfiles = "/etc/NetworkManager/system-connections";

std::vector<ConnectionProfile> read_keyfiles(const FileTree& files);

}  // namespace fabric::lab
