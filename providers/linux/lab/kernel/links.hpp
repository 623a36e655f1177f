// SPDX-License-Identifier: Apache-2.0
// Links: interfaces, their addresses and the routes that follow from them, as the kernel does it.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// "" on success, else the line that ip says. A bond passes it on to its slaves; VLANs are no larger
// than what carries them.
std::string set_mtu(LinuxHost& machine, Interface& interface, std::uint32_t mtu);
// The same. Routes of an interface vanish when it goes down and are appended anew when it comes up;
// the VLANs on it follow.
std::string set_up(LinuxHost& machine, Interface& interface, bool up);
// False if the address is there already.
bool add_address(LinuxHost& machine, Interface& interface, const IpPrefix& address);
// False if it is not there.
bool remove_address(LinuxHost& machine, Interface& interface, const IpPrefix& address);
void flush_addresses(LinuxHost& machine, Interface& interface);
// Beside one that is there by another device, as networkd makes it.
void set_default_route(LinuxHost& machine, const std::string& via, const std::string& device);
struct RouteOptions {
  std::uint32_t metric = 0;
  std::uint32_t table = 0;
  std::string source{};
};
// As `ip route add` and `replace` make one: `replace` takes the place of the route that leads there
// by that table and metric. False if there is one; `to` "default" is of the family of `via`.
bool add_route(
    LinuxHost& machine,
    const std::string& to,
    const std::string& via,
    const std::string& device,
    const RouteOptions& options = {});
bool replace_route(
    LinuxHost& machine,
    const std::string& to,
    const std::string& via,
    const std::string& device,
    const RouteOptions& options = {});
// The same over several hops, each by the link that has it. False if one can't be reached.
bool replace_shared_route(
    LinuxHost& machine,
    const std::string& to,
    const std::vector<std::string>& hops,
    const RouteOptions& options);
// The link on which `via` can be reached without a gateway; null: none.
const Interface* link_towards(const LinuxHost& machine, const std::string& via);
// False if there is the same one.
bool add_rule(LinuxHost& machine, const RoutingRule& rule);
// The first of that priority; false if there is none.
bool remove_rule(LinuxHost& machine, std::uint32_t priority);
// False if there is none.
// nullopt: of every table.
bool remove_route(
    LinuxHost& machine,
    const std::string& to,
    const std::string& device,
    std::optional<std::uint32_t> table = std::nullopt);
// As `ip route add`: false if there is one of that family, of any origin.
bool add_default_route(LinuxHost& machine, const std::string& via, const std::string& device);

// The interface goes through its sysctls: net/ipv4/conf/NAME/*.
void make_interface_sysctls(LinuxHost& machine, const std::string& name);
void remove_interface_sysctls(LinuxHost& machine, const std::string& name);
// "net.ipv4.conf.all.rp_filter" or with slashes, to the path below /proc/sys.
std::string sysctl_path(std::string_view key);

// All settings of sysctl.d, in order of file name; `only` limits to keys of one interface.
struct SysctlLine {
  std::string file;
  std::string path;
  std::string value;
  bool ignore_errors = false;
};
std::vector<SysctlLine> sysctl_lines(const LinuxHost& machine);
std::vector<SysctlLine> parse_sysctl_file(const std::string& file, std::string_view content);
// Lines whose key has a wildcard apply to each that matches. False if there is no such key.
bool apply_sysctl(LinuxHost& machine, const SysctlLine& line);

}  // namespace fabric::lab
