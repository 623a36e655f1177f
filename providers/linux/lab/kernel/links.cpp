// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/links.hpp"

#include <algorithm>
#include <array>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/ipoib.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab {
namespace {

// A route over several links is removed with the last link that is up and has an address; until
// then its hop is dead (fib_sync_down_dev).
bool goes_with(const LinuxHost& machine, const Route& route, const Interface& interface) {
  if (route.hops.empty()) return route.device == interface.name;
  bool is_over_it = false;
  for (const RouteHop& hop : route.hops) {
    const Interface* other = machine.find_interface(hop.device);
    is_over_it = is_over_it || hop.device == interface.name;
    const bool is_alive = other != nullptr && other->up && !other->addresses.empty();
    if (hop.device != interface.name && is_alive) return false;
  }
  return is_over_it;
}

void remove_routes(LinuxHost& machine, const Interface& interface, const IpPrefix* of) {
  std::vector<Route>& routes = machine.state.routes;
  routes.erase(
      std::remove_if(
          routes.begin(),
          routes.end(),
          [&](const Route& route) {
            if (!goes_with(machine, route, interface)) return false;
            return of == nullptr || (route.via.empty() && route.source == of->address());
          }),
      routes.end());
}

// NetworkManager makes the routes of subnets itself, each device's with a metric of its own.
std::uint32_t metric_of(const LinuxHost& machine, const std::string& device) {
  for (const ActiveDevice& each : machine.state.network_manager.devices) {
    if (each.device == device) return each.metric;
  }
  return 0;
}

void add_route(LinuxHost& machine, const Interface& interface, const IpPrefix& address) {
  // A single address has no subnet to lead to (fib_add_ifaddr).
  const bool is_single = !address.ipv6() && address.length() == 32;
  if (interface.loopback || is_single) return;
  const std::optional<IpPrefix> network = IpPrefix::parse(address.network());
  Route route{*network, interface.name, "", address.address()};
  route.metric = metric_of(machine, interface.name);
  machine.state.routes.push_back(std::move(route));
}

constexpr std::string_view kInvalid = "RTNETLINK answers: Invalid argument";
constexpr std::uint32_t kSmallestMtu = 68;

void put_mtu(LinuxHost& machine, Interface& interface, std::uint32_t mtu) {
  if (interface.mtu == mtu) return;
  interface.mtu = mtu;
  machine.note_change();
  for (Interface& above : machine.state.interfaces) {
    const Interface* carrier = above.vlan ? machine.interface_of_index(above.vlan->below) : nullptr;
    if (carrier != nullptr) above.mtu = std::min(above.mtu, carrier->mtu);
  }
}

bool slaves_can(const LinuxHost& machine, const Bond& bond, std::uint32_t mtu) {
  return std::ranges::all_of(bond.slaves, [&](const BondSlave& slave) {
    const Interface* port = machine.interface_of_index(slave.index);
    return port == nullptr || mtu <= port->mtu_most;
  });
}

void put_up(LinuxHost& machine, Interface& interface, bool up) {
  interface.up = up;
  machine.note_change();
  remove_routes(machine, interface, nullptr);
  if (!up && interface.card && !interface.is_virtual())
    ++machine.state.cards[*interface.card].ports[interface.port - 1].lost_links;
  if (!up) return;
  for (const IpPrefix& address : interface.addresses)
    add_route(machine, interface, address);
}

constexpr std::array<std::string_view, 8> kPerInterface = {
    "accept_local",
    "arp_announce",
    "arp_filter",
    "arp_ignore",
    "arp_notify",
    "forwarding",
    "ignore_routes_with_linkdown",
    "rp_filter"};

}  // namespace

std::string set_mtu(LinuxHost& machine, Interface& interface, std::uint32_t mtu) {
  const Interface* below =
      interface.vlan ? machine.interface_of_index(interface.vlan->below) : nullptr;
  if (below != nullptr && mtu > below->mtu)
    return "RTNETLINK answers: Numerical result out of range";
  if (interface.ipoib) return set_ipoib_mtu(machine, interface, mtu) ? "" : std::string{kInvalid};
  if (mtu > interface.mtu_most) return "Error: mtu greater than device maximum.";
  if (mtu < kSmallestMtu) return "Error: mtu less than device minimum.";
  if (interface.bond && !slaves_can(machine, *interface.bond, mtu)) return std::string{kInvalid};
  put_mtu(machine, interface, mtu);
  if (!interface.bond) return "";
  for (const BondSlave& slave : interface.bond->slaves) {
    if (Interface* port = machine.interface_of_index(slave.index)) put_mtu(machine, *port, mtu);
  }
  return "";
}

std::string set_up(LinuxHost& machine, Interface& interface, bool up) {
  if (interface.up == up) return "";
  const Interface* below =
      interface.vlan ? machine.interface_of_index(interface.vlan->below) : nullptr;
  if (up && below != nullptr && !below->up) return "RTNETLINK answers: Network is down";
  put_up(machine, interface, up);
  // A VLAN comes after what carries it, so that one pass meets those on VLANs too; a child after
  // its parent (ipoib_open, ipoib_stop).
  for (Interface& above : machine.state.interfaces) {
    const Interface* carrier = machine.interface_of_index(above.below());
    const bool follows = carrier != nullptr && carrier->up == up && above.up != up;
    if (follows && (carrier->index == interface.index || carrier->vlan)) put_up(machine, above, up);
  }
  return "";
}

bool add_address(LinuxHost& machine, Interface& interface, const IpPrefix& address) {
  const bool there = std::ranges::any_of(
      interface.addresses, [&](const IpPrefix& other) { return other == address; });
  if (there) return false;
  interface.addresses.push_back(address);
  if (interface.up) add_route(machine, interface, address);
  machine.note_change();
  return true;
}

bool remove_address(LinuxHost& machine, Interface& interface, const IpPrefix& address) {
  const auto found = std::ranges::find_if(interface.addresses, [&](const IpPrefix& other) {
    return other.same_address(address) &&
           (address.length() == other.length() || address.length() >= 32);
  });
  if (found == interface.addresses.end()) return false;
  const IpPrefix removed = *found;
  interface.addresses.erase(found);
  remove_routes(machine, interface, &removed);
  // Routes whose source no interface of the host has any more go too (fib_sync_down_addr).
  const bool is_left = std::ranges::any_of(machine.state.interfaces, [&](const Interface& each) {
    return std::ranges::any_of(
        each.addresses, [&removed](const IpPrefix& other) { return other.same_address(removed); });
  });
  if (!is_left) {
    std::erase_if(machine.state.routes, [&removed](const Route& route) {
      return (!route.via.empty() || route.table != 0) && route.source == removed.address();
    });
  }
  // Without any IPv4 address an interface loses its routes over gateways too (fib_disable_ip).
  const bool last = std::ranges::none_of(
      interface.addresses, [](const IpPrefix& other) { return !other.ipv6(); });
  if (last && !removed.ipv6()) {
    std::erase_if(machine.state.routes, [&](const Route& route) {
      return goes_with(machine, route, interface) && !route.destination.ipv6();
    });
  }
  machine.note_change();
  return true;
}

void flush_addresses(LinuxHost& machine, Interface& interface) {
  while (!interface.addresses.empty()) {
    const IpPrefix address = interface.addresses.back();
    remove_address(machine, interface, address);
  }
}

void make_interface_sysctls(LinuxHost& machine, const std::string& name) {
  for (const std::string_view key : kPerInterface) {
    const std::string tail{key};
    machine.state.sysctls["net/ipv4/conf/" + name + "/" + tail] =
        machine.sysctl("net/ipv4/conf/default/" + tail, "0");
  }
  machine.state.sysctls["net/ipv6/conf/" + name + "/disable_ipv6"] =
      machine.sysctl("net/ipv6/conf/default/disable_ipv6", "0");
}

void remove_interface_sysctls(LinuxHost& machine, const std::string& name) {
  for (const std::string& family : {std::string{"net/ipv4/conf/"}, std::string{"net/ipv6/conf/"}}) {
    const std::string prefix = family + name + "/";
    auto at = machine.state.sysctls.lower_bound(prefix);
    while (at != machine.state.sysctls.end() && at->first.rfind(prefix, 0) == 0)
      at = machine.state.sysctls.erase(at);
  }
}

std::string sysctl_path(std::string_view key) {
  const std::size_t first = key.find_first_of("./");
  std::string path{key};
  if (first == std::string_view::npos || key[first] == '/') return path;
  // A point separates; a slash then means a point, as in net.ipv4.conf.eth0/100.
  for (char& c : path)
    c = c == '.' ? '/' : c == '/' ? '.' : c;
  return path;
}

std::vector<SysctlLine> parse_sysctl_file(const std::string& file, std::string_view content) {
  std::vector<SysctlLine> lines;
  for (const std::string_view raw : split_lines(content)) {
    std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    SysctlLine result;
    result.file = file;
    if (line.front() == '-') {
      result.ignore_errors = true;
      line.remove_prefix(1);
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    result.path = sysctl_path(trim(line.substr(0, equals)));
    result.value = trim(line.substr(equals + 1));
    lines.push_back(std::move(result));
  }
  return lines;
}

std::vector<SysctlLine> sysctl_lines(const LinuxHost& machine) {
  std::map<std::string, std::string> files;  // name to path; /etc hides /run hides /usr/lib
  for (const std::string_view folder :
       {"/usr/lib/sysctl.d", "/usr/local/lib/sysctl.d", "/run/sysctl.d", "/etc/sysctl.d"}) {
    for (const std::string& name : machine.state.files.list(folder)) {
      const bool drop_in =
          name.size() > 5 && name.compare(name.size() - 5, 5, ".conf") == 0 && name.front() != '.';
      if (drop_in) files[name] = std::string{folder} + "/" + name;
    }
  }
  std::vector<SysctlLine> lines;
  for (const auto& [name, path] : files) {
    std::string content;
    if (machine.state.files.read(path, "root", content) != FileError::none) continue;
    const std::vector<SysctlLine> more = parse_sysctl_file(path, content);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

bool apply_sysctl(LinuxHost& machine, const SysctlLine& line) {
  bool found = false;
  for (auto& [path, value] : machine.state.sysctls) {
    const bool same =
        path == line.path || (shell::has_wildcard(line.path) && shell::matches(line.path, path));
    if (!same) continue;
    found = true;
    if (value == line.value) continue;
    value = line.value;
    machine.note_change();
  }
  return found;
}

}  // namespace fabric::lab
