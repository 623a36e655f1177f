// SPDX-License-Identifier: Apache-2.0
// Routes over gateways and rules, as ip makes them.
#include <algorithm>

#include "providers/linux/lab/kernel/links.hpp"

namespace fabric::lab {
namespace {

// The default destination in the family of its gateway.
std::optional<IpPrefix> default_destination(std::string_view via) {
  return IpPrefix::parse(via.find(':') == std::string_view::npos ? "0.0.0.0/0" : "::/0");
}

}  // namespace

void set_default_route(LinuxHost& machine, const std::string& via, const std::string& device) {
  std::vector<Route>& routes = machine.state.routes;
  const bool there = std::ranges::any_of(routes, [&](const Route& route) {
    return route.destination.length() == 0 && route.via == via;
  });
  const std::optional<IpPrefix> all = default_destination(via);
  if (there || !all) return;
  routes.push_back(Route{*all, device, via, ""});
  machine.note_change();
}

bool add_default_route(LinuxHost& machine, const std::string& via, const std::string& device) {
  const std::optional<IpPrefix> all = default_destination(via);
  const std::vector<Route>& routes = machine.state.routes;
  const bool there =
      std::ranges::any_of(routes, [&all](const Route& route) { return route.destination == all; });
  if (there) return false;
  set_default_route(machine, via, device);
  return true;
}

namespace {

std::optional<IpPrefix> destination_of(const std::string& to, const std::string& via) {
  return to == "default" ? default_destination(via) : IpPrefix::parse(to);
}

bool is_same(
    const Route& route, const std::optional<IpPrefix>& destination, const RouteOptions& options) {
  return route.destination == destination && route.metric == options.metric &&
         route.table == options.table;
}

}  // namespace

bool add_route(
    LinuxHost& machine,
    const std::string& to,
    const std::string& via,
    const std::string& device,
    const RouteOptions& options) {
  const std::optional<IpPrefix> destination = destination_of(to, via);
  const std::vector<Route>& routes = machine.state.routes;
  const bool there = std::ranges::any_of(
      routes, [&](const Route& route) { return is_same(route, destination, options); });
  return !there && replace_route(machine, to, via, device, options);
}

bool replace_route(
    LinuxHost& machine,
    const std::string& to,
    const std::string& via,
    const std::string& device,
    const RouteOptions& options) {
  const std::optional<IpPrefix> destination = destination_of(to, via);
  if (!destination) return false;
  std::erase_if(machine.state.routes, [&](const Route& route) {
    return is_same(route, destination, options);
  });
  machine.state.routes.push_back(
      Route{*destination, device, via, options.source, false, options.metric, options.table, {}});
  machine.note_change();
  return true;
}

const Interface* link_towards(const LinuxHost& machine, const std::string& via) {
  const std::optional<IpPrefix> gateway = IpPrefix::parse(via);
  for (const Route& route : machine.state.routes) {
    const Interface* interface = machine.find_interface(route.device);
    const bool leads = route.via.empty() && gateway && route.destination.contains(*gateway);
    if (leads && interface != nullptr && interface->up) return interface;
  }
  return nullptr;
}

bool replace_shared_route(
    LinuxHost& machine,
    const std::string& to,
    const std::vector<std::string>& hops,
    const RouteOptions& options) {
  std::vector<RouteHop> found;
  for (const std::string& via : hops) {
    const Interface* link = link_towards(machine, via);
    if (link == nullptr) return false;
    found.push_back({via, link->name});
  }
  if (found.empty() || !replace_route(machine, to, found.back().via, found.back().device, options))
    return false;
  machine.state.routes.back().hops = std::move(found);
  return true;
}

bool add_rule(LinuxHost& machine, const RoutingRule& rule) {
  std::vector<RoutingRule>& rules = machine.state.rules;
  if (std::find(rules.begin(), rules.end(), rule) != rules.end()) return false;
  const auto after = std::ranges::find_if(
      rules, [&rule](const RoutingRule& each) { return each.priority > rule.priority; });
  rules.insert(after, rule);
  machine.note_change();
  return true;
}

bool remove_rule(LinuxHost& machine, std::uint32_t priority) {
  std::vector<RoutingRule>& rules = machine.state.rules;
  const auto found = std::ranges::find_if(
      rules, [priority](const RoutingRule& each) { return each.priority == priority; });
  if (found == rules.end()) return false;
  rules.erase(found);
  machine.note_change();
  return true;
}

bool remove_route(
    LinuxHost& machine,
    const std::string& to,
    const std::string& device,
    std::optional<std::uint32_t> table) {
  const bool all = to == "default";
  const std::optional<IpPrefix> destination = all ? std::nullopt : IpPrefix::parse(to);
  const auto gone = std::erase_if(machine.state.routes, [&](const Route& route) {
    const bool is_it = all ? route.destination.length() == 0 : route.destination == destination;
    return is_it && (device.empty() || route.device == device) &&
           route.table == table.value_or(route.table);
  });
  if (gone > 0) machine.note_change();
  return gone > 0;
}

}  // namespace fabric::lab
