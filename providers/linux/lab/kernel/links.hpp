// SPDX-License-Identifier: Apache-2.0
// Interfaces, their addresses and the routes that follow from them, as in the kernel.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

// "" on success, else the error that ip prints. A bond sets its slaves' MTU too; the MTU of VLANs
// is limited to that of the interface below.
std::string set_mtu(LinuxHost& machine, Interface& interface, std::uint32_t mtu);
// "" or an error, too. Routes of an interface vanish when it goes down and are appended anew when
// it comes up; the VLANs on it and its children follow.
std::string set_up(LinuxHost& machine, Interface& interface, bool up);
// False if the address is there already.
bool add_address(LinuxHost& machine, Interface& interface, const IpPrefix& address);
// False if it is not there.
bool remove_address(LinuxHost& machine, Interface& interface, const IpPrefix& address);
void flush_addresses(LinuxHost& machine, Interface& interface);
// Keeps a default route by another device, as networkd does.
void set_default_route(LinuxHost& machine, const std::string& via, const std::string& device);
struct RouteOptions {
  std::uint32_t metric = 0;
  std::uint32_t table = 0;
  std::string source{};
};
// As `ip route add` and `replace`: `replace` replaces the route with the same destination, table
// and metric. False if there is one to add; `to` "default" is of the family of `via`.
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
// As add_route() over several hops, each by its connected link. False if one can't be reached.
bool replace_shared_route(
    LinuxHost& machine,
    const std::string& to,
    const std::vector<std::string>& hops,
    const RouteOptions& options);
// The link on which `via` can be reached without a gateway; null: none.
const Interface* link_towards(const LinuxHost& machine, const std::string& via);
// False if there is an equal rule.
bool add_rule(LinuxHost& machine, const RoutingRule& rule);
// Removes the first rule of that priority; false if there is none.
bool remove_rule(LinuxHost& machine, std::uint32_t priority);
// False if there is no such route. A table of nullopt means every table.
bool remove_route(
    LinuxHost& machine,
    const std::string& to,
    const std::string& device,
    std::optional<std::uint32_t> table = std::nullopt);
// As `ip route add`: false if there is a default route of that family already.
bool add_default_route(LinuxHost& machine, const std::string& via, const std::string& device);

// Makes the sysctls of an interface: net/ipv4/conf/NAME/*.
void make_interface_sysctls(LinuxHost& machine, const std::string& name);
void remove_interface_sysctls(LinuxHost& machine, const std::string& name);
// The path below /proc/sys of "net.ipv4.conf.all.rp_filter", also with slashes.
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
// A key with a wildcard applies to all that match. False if there is no such key.
bool apply_sysctl(LinuxHost& machine, const SysctlLine& line);

}  // namespace fabric::lab
