// SPDX-License-Identifier: Apache-2.0
// Hosts that forward from cable to cable: loopbacks, routes and tables of their ports, and the
// kernel parameters of each.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/model/expand/parts.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric::expansion {

namespace {

// Beside the usual tables and rules (253 to 255, 32766), and below those that people count from
// 100. A rule has the number of its table.
constexpr std::int64_t kFirstTable = 4001;
// Equal ranks have equal metrics, so that a host with several tables reads alike in all of them.
constexpr std::int64_t kSharedMetric = 10;  // metric of one route for all equal ways
constexpr std::int64_t kFirstMetric = 20;
constexpr std::int64_t kMetricStep = 10;

struct ForwardingKey {
  std::string_view key, value, why;
};
// Parameters of the port alone: those of the host's other interfaces are not the network's concern
// (E-transit-forwarding).
constexpr ForwardingKey kForwarding[] = {
    {"accept_local",
     "1",
     "a packet that is turned back at a cut passes the host that sent it again"},
    {"forwarding", "1", "packets that come in there go on to the next host"},
    {"ignore_routes_with_linkdown", "1", "a cable that is out must not keep the traffic"},
    {"rp_filter", "2", "after a cut packets come in by another port than the answer leaves by"},
};

// All ports of the node in networks with transit, in order: their positions number their tables.
std::vector<PortRef> transit_ports(const NodeResources& node) {
  std::vector<PortRef> all;
  for (const auto& [name, ports] : node.networks()) {
    if (has_transit(node.scope().network(name))) all.insert(all.end(), ports.begin(), ports.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::int64_t table_of(const std::vector<PortRef>& ports, const PortRef& port) {
  return kFirstTable + (std::lower_bound(ports.begin(), ports.end(), port) - ports.begin());
}

using Routes = std::vector<TransitRoute>;

// The shortest ways of the host's own packets for `to`; empty if there is only one.
Routes equal_ways(const Routes& routes, const NodeName& to) {
  Routes best;
  for (const TransitRoute& route : routes) {
    if (!route.in && route.to == to && route.best) best.push_back(route);
  }
  return best.size() > 1 ? best : Routes{};
}

std::string host_route(const IpAddress& address) {
  return address.str() + "/32";
}

// Adds the address as want_addresses() does: in order of address, IPv4 first.
void add_loopback(Resource& resource, const IpAddress& own) {
  const auto addresses = resource.desired.find("addresses");
  if (addresses == resource.desired.end()) return;
  List list = *addresses->second.value.as_list();
  const auto after = std::ranges::find_if(list, [&own](const Value& each) {
    const std::string text = to_text(each);
    const Result<IpAddress> address = IpAddress::parse(text.substr(0, text.find('/')));
    return address && own < *address;
  });
  list.insert(after, Value{host_route(own)});
  resource.desired.edit().find("addresses")->second.value = std::move(list);
}

// At the last of the ports that they go by, which comes after the others: the kernel takes no hop
// that it does not reach.
void add_shared(
    List& routes,
    Resource& resource,
    const Routes& all,
    const NetworkSpec& network,
    const PortRef& port) {
  for (const auto& [to, address] : network.loopback->addresses) {
    const Routes ways = equal_ways(all, to);
    std::map<PortRef, PortRef> next;
    for (const TransitRoute& way : ways)
      next.emplace(way.out, way.next);
    if (next.empty() || next.rbegin()->first != port) continue;
    List hops;
    for (const auto& [out, other] : next) {
      const auto via = network.ipv4.addresses.find(other);
      if (via != network.ipv4.addresses.end()) hops.emplace_back(via->second.front().value.str());
    }
    if (hops.size() != next.size()) continue;
    for (const auto& [out, other] : next) {
      if (out != port)
        resource.after.push_back({port.node, std::string{kinds::kInterface}, port_name(out)});
    }
    routes.emplace_back(
        Map{{"to", host_route(address.value)},
            {"hops", std::move(hops)},
            {"metric", kSharedMetric},
            {"source", network.loopback->addresses.at(port.node).value.str()}});
  }
}

// Without it two hosts have one way between them for all their packets.
void put_hash_policy(NodeResources& node, const NetworkSpec& network) {
  constexpr const char* kHashPolicy = "net.ipv4.fib_multipath_hash_policy";
  const Routes all = node.scope().transit(network.name).routes(node.node().name);
  const bool shares = std::ranges::any_of(
      all, [&all](const TransitRoute& route) { return !equal_ways(all, route.to).empty(); });
  if (!shares || node.node().sysctl.contains(kHashPolicy)) return;
  Resource resource = node.start(kinds::kSysctl, network.name, network.transit.range);
  want(
      resource,
      kHashPolicy,
      "1",
      network.transit.range,
      fmt::format(
          "network {} has equal routes, and flows are spread over them by addresses and ports",
          network.name));
  node.put(std::move(resource));
}

}  // namespace

void want_transit(
    const NodeResources& node,
    Resource& resource,
    const NetworkSpec& network,
    const PortRef& port) {
  const auto own = network.loopback->addresses.find(port.node);
  if (own == network.loopback->addresses.end()) return;
  const std::vector<PortRef> ports = transit_ports(node);
  List routes;
  if (const auto written = resource.desired.find("routes"); written != resource.desired.end())
    routes = *written->second.value.as_list();
  const Routes all = node.scope().transit(network.name).routes(port.node);
  add_shared(routes, resource, all, network, port);
  for (const TransitRoute& route : all) {
    const auto to = network.loopback->addresses.find(route.to);
    const auto via = network.ipv4.addresses.find(route.next);
    if (route.out != port || to == network.loopback->addresses.end() ||
        via == network.ipv4.addresses.end())
      continue;
    Map entry{
        {"to", host_route(to->second.value)},
        {"via", via->second.front().value.str()},
        {"metric", kFirstMetric + kMetricStep * static_cast<std::int64_t>(route.rank)}};
    if (route.in) {
      entry.emplace("table", table_of(ports, *route.in));
    } else {
      entry.emplace("source", own->second.value.str());
    }
    routes.emplace_back(std::move(entry));
  }
  const std::string reason = fmt::format("hosts of network {} forward to each other", network.name);
  add_loopback(resource, own->second.value);
  resource.desired.erase("routes");
  want(resource, "routes", std::move(routes), network.transit.range, reason);
  want(resource, "incoming_table", table_of(ports, port), network.transit.range, reason);
  resource.features.push_back({"transit", "`transit: static`", network.transit.range});
}

void expand_transit(NodeResources& node) {
  for (const auto& [name, ports] : node.networks()) {
    const NetworkSpec& network = node.scope().network(name);
    if (!has_transit(network)) continue;
    put_hash_policy(node, network);
    for (const PortRef& port : ports) {
      Resource resource = node.start(kinds::kForwarding, port_name(port), network.transit.range);
      resource.binding.merge(node.port_binding(port));
      resource.binding.emplace(keys::kNetwork, network.name);
      resource.features.push_back({"", "`transit: static`", network.transit.range});
      node.wait_for_port(resource, port);
      for (const auto& [key, value, why] : kForwarding) {
        want(
            resource,
            key,
            value,
            network.transit.range,
            fmt::format("network {} has `transit: static`: {}", name, why));
      }
      node.put(std::move(resource));
    }
  }
}

}  // namespace fabric::expansion
