// SPDX-License-Identifier: Apache-2.0
// The units that run OpenSM on a simulated host: those with files of their own, and the package's
// (Debian 12: opensm.service starts an opensm@GUID.service for each port, E-opensm-debian;
// MLNX_OFED: opensmd.service is one OpenSM, E-opensm-ofed).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// True for a service whose program is /usr/sbin/opensm, or an instance of the package's template.
bool is_manager_unit(const LinuxHost& machine, std::string_view unit);
// Lines of ExecStartPre or ExecReload, each for a shell; a leading "-" lets it fail.
std::vector<std::string> manager_commands(
    const LinuxHost& machine, std::string_view unit, std::string_view key);
// Starts OpenSM as the unit says, in place of a process that ran before.
void start_manager_unit(LinuxHost& machine, const std::string& unit);

// The service of the package: "opensm", "opensmd".
std::string_view package_manager_service(const LinuxHost& machine);
// Installs the package's files besides its program, and starts what its installation starts.
void install_manager_package(LinuxHost& machine);
// Starts what the package's service starts; false if a condition of the unit forbids it.
bool start_package_managers(LinuxHost& machine);
void stop_package_managers(LinuxHost& machine);

}  // namespace fabric::lab
