// SPDX-License-Identifier: Apache-2.0
// OpenSM on a simulated host: one process for each port, by a unit.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// "0x" and 16 digits, as ibstat -p prints it, of every InfiniBand port.
std::vector<std::string> manageable_ports(const LinuxHost& machine);

// The process that `arguments` (without the program) make, with its files as they are now. One
// whose port is not there, is Ethernet or has a manager ends at once: with `restarts` it waits
// until that is over, without it is gone.
void start_manager(
    LinuxHost& machine,
    const std::string& unit,
    std::span<const std::string_view> arguments,
    bool restarts);
void stop_manager(LinuxHost& machine, const std::string& unit);
// SIGHUP to the process of that number: it reads its partitions again (E-opensm-reload). False: no
// OpenSM has the number.
bool hang_up_manager(LinuxHost& machine, std::uint64_t number);
std::uint64_t process_number(const ManagerProcess& process);
// By its file as it has last read it, with the groups that it made before.
PartitionRules partitions_of(const ManagerProcess& process);
// Of the host's processes, those that wait too.
bool has_manager(const LinuxHost& machine, const std::string& unit);
bool manager_runs(const LinuxHost& machine, const std::string& unit);
// The one that runs on a port, or null; whether the port has a link does not matter.
const ManagerProcess* manager_on(const LinuxHost& machine, std::size_t card, std::uint32_t port);

}  // namespace fabric::lab
