// SPDX-License-Identifier: Apache-2.0
// The files that configure the network of a simulated host, as one digest: a lab that cuts a host
// off for these files, and restores it when they are as before, needs no more of their meaning.
#pragma once

#include <string>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

std::string network_files_digest(const LinuxHost& machine);
// The files have just been activated, by a boot or by a command.
void note_network_in_force(LinuxHost& machine);

}  // namespace fabric::lab
