// SPDX-License-Identifier: Apache-2.0
// OpenSM on a simulated host: one process for each port, by a unit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lab/machine/network.hpp"
#include "engine/lab/machine/partitions.hpp"
#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// The log of a simulated OpenSM: its state and the time of each change, and how it has routed the
// switches that it then found (E-opensm-routing). The lab's switches have no tables: every engine
// can route them.
// Each OpenSM of the host logs its state if that has changed.
void settle_managers(LinuxHost& machine, const Network& network, std::int64_t unix_milliseconds);
// The last line of an OpenSM that is told to end; one that crashes writes none.
void log_exit(LinuxHost& machine, const ManagerProcess& process);

// OpenSM's partitions file as OpenSM reads it (E-opensm-partitions): one mistake makes the whole
// file count as missing.
// nullopt: there is no file; the result is then OpenSM's default.
PartitionRules partition_rules(const std::optional<std::string>& text);

// The GUID of every InfiniBand port, "0x" and 16 digits, as ibstat -p prints it.
std::vector<std::string> manageable_ports(const LinuxHost& machine);

// Starts OpenSM with `arguments` (without the program) and its present files. If its port is
// missing, is Ethernet or has a manager, it ends at once: with `restarts` it waits until the port
// is usable, otherwise it is gone.
void start_manager(
    LinuxHost& machine,
    const std::string& unit,
    std::span<const std::string_view> arguments,
    bool restarts);
void stop_manager(LinuxHost& machine, const std::string& unit);
// SIGHUP to the process `number`: it reads its partitions again (E-opensm-reload). False: no OpenSM
// has the number.
bool hang_up_manager(LinuxHost& machine, std::uint64_t number);
std::uint64_t process_number(const ManagerProcess& process);
// The partitions of the file as last read, with the groups made before.
PartitionRules partitions_of(const ManagerProcess& process);
// True if the unit has a process, also one that waits.
bool has_manager(const LinuxHost& machine, const std::string& unit);
bool manager_runs(const LinuxHost& machine, const std::string& unit);
// The manager that runs on a port, whether the port has a link or not; or null.
const ManagerProcess* manager_on(const LinuxHost& machine, std::size_t card, std::uint32_t port);

}  // namespace fabric::lab
