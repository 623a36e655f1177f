#include "engine/lab/linux/kernel/addresses.hpp"

#include <algorithm>
#include <string>

#include "engine/base/text.hpp"

namespace fabric::lab {
namespace {

// Of `all` and of the interface, the larger counts.
std::int64_t interface_sysctl(
    const LinuxHost& machine, const Interface& interface, const std::string& key) {
  const auto value = [&](const std::string& scope) {
    return parse_integer(machine.sysctl("net/ipv4/conf/" + scope + "/" + key, "0")).value_or(0);
  };
  return std::max(value("all"), value(interface.name));
}

}  // namespace

IpPath ip_path(const LinuxHost& machine, const IpPrefix& target, std::string_view device) {
  IpPath path;
  std::int64_t best = -1;
  for (const Route& route : machine.state.routes) {
    const Interface* interface = machine.find_interface(route.device);
    const bool usable =
        interface != nullptr && interface->up && (device.empty() || device == route.device);
    const auto length = static_cast<std::int64_t>(route.destination.length());
    if (!usable || length == 0 || !route.destination.contains(target) || length <= best) continue;
    best = length;
    path = IpPath{
        interface->index, interface->mac, route.source, interface->mtu, interface->is_management()};
  }
  return path;
}

const Interface* owner_of(const LinuxHost& machine, const IpPrefix& address) {
  for (const Interface& interface : machine.state.interfaces) {
    for (const IpPrefix& own : interface.addresses) {
      if (interface.up && own.same_address(address)) return &interface;
    }
  }
  return nullptr;
}

bool answers_arp_request(
    const LinuxHost& machine,
    const Interface& interface,
    const IpPrefix& target,
    const IpPrefix& sender) {
  const Interface* owner = owner_of(machine, target);
  if (owner == nullptr) return false;
  const std::int64_t ignore = interface_sysctl(machine, interface, "arp_ignore");
  if (ignore == 0) return true;
  if (ignore >= 8 || owner->name != interface.name) return false;
  if (ignore == 1) return true;
  return std::any_of(
      interface.addresses.begin(), interface.addresses.end(), [&](const IpPrefix& own) {
        return own.same_address(target) && own.contains(sender);
      });
}

bool passes_rp_filter(
    const LinuxHost& machine, const Interface& interface, const IpPrefix& sender) {
  const std::int64_t filter = interface_sysctl(machine, interface, "rp_filter");
  if (filter == 0) return true;
  const IpPath back = ip_path(machine, sender, "");
  if (back.interface == 0) return false;
  return filter == 2 || back.interface == interface.index;
}

}  // namespace fabric::lab
