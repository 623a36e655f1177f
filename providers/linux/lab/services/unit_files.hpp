// SPDX-License-Identifier: Apache-2.0
// systemd's units with files in /etc/systemd/system of a simulated host: timers counted from their
// activation, and services. Those that stay are in manager_units.hpp.
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
// "x" is "x.service".
std::string unit_full_name(std::string_view unit);
// Every value that the key has, in order; an empty one takes back those before it.
std::vector<std::string> unit_settings(
    const LinuxHost& machine,
    std::string_view unit,
    std::string_view section,
    std::string_view key);
// ExecStart of a service, without the prefixes that systemd knows; "" if there is none.
std::string unit_command(const LinuxHost& machine, std::string_view service);
// By [Install] WantedBy. The link's path and target, for what systemctl prints; nullopt if the unit
// has no such section.
std::optional<std::pair<std::string, std::string>> unit_link(
    const LinuxHost& machine, std::string_view unit);
bool unit_enabled(const LinuxHost& machine, std::string_view unit);

// A timer begins to count; a service starts by itself a moment later.
void start_unit(LinuxHost& machine, std::string_view unit);
void stop_unit(LinuxHost& machine, std::string_view unit);
bool unit_waits(const LinuxHost& machine, std::string_view unit);
// After a boot: the timers that timers.target wants.
void start_wanted_timers(LinuxHost& machine);

// The next service that starts by itself. It waits no more once it is taken.
std::optional<std::pair<TimePoint, std::string>> next_unit(const LinuxHost& machine);
std::string take_unit(LinuxHost& machine, const std::string& unit);

}  // namespace fabric::lab
