// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/addresses.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab {
namespace {

// The larger value of those for `all` and for the interface.
std::int64_t interface_sysctl(
    const LinuxHost& machine, const Interface& interface, const std::string& key) {
  const auto value = [&](const std::string& scope) {
    return parse_integer(machine.sysctl("net/ipv4/conf/" + scope + "/" + key, "0")).value_or(0);
  };
  return std::max(value("all"), value(interface.name));
}

}  // namespace

bool ignores_routes(const Network& network, const LinuxHost& machine, const Interface& interface) {
  return interface_sysctl(machine, interface, "ignore_routes_with_linkdown") != 0 &&
         !has_carrier(network, machine, interface);
}

namespace {

// A hop whose link is down or has lost its address is dead.
bool is_alive(
    const Network& network,
    const LinuxHost& machine,
    const RouteHop& hop,
    std::string_view device) {
  const Interface* interface = machine.find_interface(hop.device);
  if (interface == nullptr || !interface->up || (!device.empty() && device != hop.device))
    return false;
  return !device.empty() || !ignores_routes(network, machine, *interface);
}

// A route, and one of its hops.
struct Way {
  const Route* route = nullptr;
  RouteHop hop;
};

// Chosen by the addresses alone, as for pings (fib_multipath_hash).
std::size_t share_of(const LinuxHost& machine, const IpPrefix& target, std::size_t shares) {
  std::size_t sum = machine.name().str().size();
  for (const char c : machine.name().str() + target.address())
    sum = sum * 31 + static_cast<unsigned char>(c);
  return sum % shares;
}

Way best_way(
    const Network& network,
    const LinuxHost& machine,
    const IpPrefix& target,
    std::string_view device,
    std::uint32_t table) {
  Way best;
  for (const Route& route : machine.state.routes) {
    const std::uint32_t length = route.destination.length();
    if (route.table != table || length == 0 || !route.destination.contains(target)) continue;
    std::vector<RouteHop> alive;
    for (const RouteHop& hop :
         route.hops.empty() ? std::vector{RouteHop{route.via, route.device}} : route.hops) {
      if (is_alive(network, machine, hop, device)) alive.push_back(hop);
    }
    const bool better =
        best.route == nullptr || length > best.route->destination.length() ||
        (length == best.route->destination.length() && route.metric < best.route->metric);
    if (!alive.empty() && better) best = {&route, alive[share_of(machine, target, alive.size())]};
  }
  return best;
}

// The source address if the route has none: the interface's address in the subnet of the next hop.
std::string source_towards(const Interface& interface, const std::string& via) {
  const std::optional<IpPrefix> next = IpPrefix::parse(via);
  for (const IpPrefix& own : interface.addresses) {
    if (next && own.contains(*next)) return own.address();
  }
  return interface.addresses.empty() ? "" : interface.addresses.front().address();
}

}  // namespace

IpPath ip_path(
    const Network& network,
    const LinuxHost& machine,
    const IpPrefix& target,
    std::string_view device,
    std::string_view source,
    const Interface* incoming) {
  Way way;
  for (const RoutingRule& rule : machine.state.rules) {
    const bool counts = rule.from.empty() ? incoming != nullptr && rule.incoming == incoming->name
                                          : rule.from == source;
    if (way.route == nullptr && counts)
      way = best_way(network, machine, target, device, rule.table);
  }
  if (way.route == nullptr) way = best_way(network, machine, target, device, 0);
  if (way.route == nullptr) return {};
  const Interface& interface = *machine.find_interface(way.hop.device);
  return {
      interface.index,
      interface.mac,
      way.route->source.empty() ? source_towards(interface, way.hop.via) : way.route->source,
      interface.mtu,
      interface.is_management(),
      way.hop.via};
}

bool forwards(const LinuxHost& machine, const Interface& interface) {
  return machine.sysctl("net/ipv4/conf/" + interface.name + "/forwarding", "0") != "0";
}

namespace {

bool has_address(const Interface& interface, const IpPrefix& address) {
  const auto& all = interface.addresses;
  return interface.up && std::any_of(all.begin(), all.end(), [&address](const IpPrefix& own) {
           return own.same_address(address);
         });
}

}  // namespace

const Interface* owner_of(const LinuxHost& machine, const IpPrefix& address) {
  for (const Interface& interface : machine.state.interfaces)
    if (has_address(interface, address)) return &interface;
  return nullptr;
}

bool answers_neighbour_request(
    const LinuxHost& machine,
    const Interface& interface,
    const IpPrefix& target,
    const IpPrefix& sender) {
  if (target.ipv6()) return has_address(interface, target);
  const Interface* owner = owner_of(machine, target);
  if (owner == nullptr) return false;
  const std::int64_t ignore = interface_sysctl(machine, interface, "arp_ignore");
  if (ignore == 0) return true;
  if (ignore >= 8 || owner->name != interface.name) return false;
  if (ignore == 1) return true;
  return std::ranges::any_of(interface.addresses, [&](const IpPrefix& own) {
    return own.same_address(target) && own.contains(sender);
  });
}

bool passes_rp_filter(
    const Network& network,
    const LinuxHost& machine,
    const Interface& interface,
    const IpPrefix& sender,
    const IpPrefix& target) {
  if (sender.ipv6()) return true;
  // A martian source, whatever the filter (fib_validate_source).
  if (owner_of(machine, sender) != nullptr)
    return interface_sysctl(machine, interface, "accept_local") != 0;
  const std::int64_t filter = interface_sysctl(machine, interface, "rp_filter");
  if (filter == 0) return true;
  const IpPath back = ip_path(network, machine, sender, "", target.address());
  if (back.interface == 0) return false;
  return filter == 2 || back.interface == interface.index;
}

}  // namespace fabric::lab
