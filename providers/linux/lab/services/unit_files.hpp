// SPDX-License-Identifier: Apache-2.0
// systemd's units with files in /etc/systemd/system of a simulated host: timers counted from their
// activation, and services. Units of OpenSM are in manager_units.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// "x.timer", "x.service"; names without a suffix are services.
bool has_unit_file(const LinuxHost& machine, std::string_view unit);
// "x.service" for "x".
std::string unit_full_name(std::string_view unit);
// All values of the key, in order; an empty value removes those before it.
std::vector<std::string> unit_settings(
    const LinuxHost& machine,
    std::string_view unit,
    std::string_view section,
    std::string_view key);
// ExecStart of a service, without the prefixes that systemd knows; "" if there is none.
std::string unit_command(const LinuxHost& machine, std::string_view service);
// From [Install] WantedBy: the link's path and target, for the output of systemctl; nullopt if the
// unit has no such section.
std::optional<std::pair<std::string, std::string>> unit_link(
    const LinuxHost& machine, std::string_view unit);
bool unit_enabled(const LinuxHost& machine, std::string_view unit);

// A timer begins to count; a service starts a moment later.
void start_unit(LinuxHost& machine, std::string_view unit);
void stop_unit(LinuxHost& machine, std::string_view unit);
bool unit_waits(const LinuxHost& machine, std::string_view unit);
// Starts the timers that timers.target wants, after a boot.
void start_wanted_timers(LinuxHost& machine);

// The next service that is due to start; takes it from the queue.
std::optional<std::pair<TimePoint, std::string>> next_unit(const LinuxHost& machine);
std::string take_unit(LinuxHost& machine, const std::string& unit);

// The units that run OpenSM on a simulated host: those with files of their own, and the package's
// (Debian 12: opensm.service starts an opensm@GUID.service for each port, E-opensm-debian;
// MLNX_OFED: opensmd.service is one OpenSM, E-opensm-ofed).
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
