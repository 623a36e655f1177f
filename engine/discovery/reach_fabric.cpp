// SPDX-License-Identifier: Apache-2.0
#include "engine/discovery/reach_fabric.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "engine/base/parallel.hpp"
#include "engine/base/text.hpp"

namespace fabric::discovery {

namespace {

constexpr const char* kChaining = "HOST_CHAINING_MODE";

bool is_linux(const FabricSpec& spec, const NodeName& name) {
  const auto node = spec.nodes.find(name);
  return node != spec.nodes.end() && traits(node->second.platform.value).linux_host;
}

// The value in the document; else that for ports that share a subnet
// (engine/model/expand/software).
std::uint32_t setting(const NodeSpec& node, std::string_view key, std::uint32_t otherwise) {
  const auto found = node.sysctl.find("net.ipv4.conf.all." + std::string{key});
  if (found == node.sysctl.end()) return otherwise;
  return static_cast<std::uint32_t>(parse_integer(found->second.value).value_or(otherwise));
}

reach::Port declared_port(const NodeSpec& node, const NetworkSpec& network, const PortRef& name) {
  reach::Port port{name, {}, true, 0, 0, false};
  const auto found = network.ipv4.addresses.find(name);
  if (found != network.ipv4.addresses.end() && network.ipv4.subnet) {
    for (const Sourced<IpAddress>& address : found->second)
      port.addresses.push_back({address.value, network.ipv4.subnet->value});
  }
  port.arp_ignore = setting(node, "arp_ignore", 1);
  port.rp_filter = setting(node, "rp_filter", 2);
  port.ignores_linkdown = setting(node, "ignore_routes_with_linkdown", 1) != 0;
  return port;
}

// Adds routes with a table by source for each port (engine/model/expand/ports).
void add_declared_routes(reach::Host& host) {
  for (std::size_t port = 0; port < host.ports.size(); ++port) {
    const auto table = static_cast<std::uint32_t>(port + 1);
    for (const reach::Address& address : host.ports[port].addresses) {
      host.routes.push_back({address.subnet, port});
      host.routes.push_back({address.subnet, port, table});
      host.rules.push_back({address.address, table});
    }
  }
}

// Without routes.
reach::NetworkNow declared_network(const FabricSpec& spec, const NetworkSpec& network) {
  reach::NetworkNow now{network.name, {}, {}};
  std::map<NodeName, reach::Host> hosts;
  for (const CableSpec& cable : network.cables)
    now.fabric.cables.emplace_back(cable.a.value, cable.b.value);
  for (const PortRef& port : network.member_ports()) {
    if (port.adapter.empty()) continue;
    reach::Host& host =
        hosts.try_emplace(port.node, reach::Host{port.node, {}, {}, {}, {}}).first->second;
    // How other hosts send is unknown, and what their cards do.
    const bool is_known = is_linux(spec, port.node);
    host.ports.push_back(
        is_known ? declared_port(spec.nodes.at(port.node), network, port)
                 : reach::Port{port, {}, true, 0, 0, false});
    host.chaining[port.adapter] = is_known ? std::optional{true} : std::nullopt;
  }
  for (auto& [node, host] : hosts) {
    if (is_offline(spec, node)) now.away.nodes.insert(node);
    now.fabric.hosts.push_back(std::move(host));
  }
  return now;
}

std::vector<const NetworkSpec*> chains_of(const FabricSpec& spec) {
  std::vector<const NetworkSpec*> chains;
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value == Mode::chain) chains.push_back(&network);
  }
  return chains;
}

// "1", "BASIC(1)"
std::optional<bool> is_chaining(const std::string& value) {
  if (value.empty()) return std::nullopt;
  const std::size_t number = value.find_first_of("0123456789");
  if (number == std::string::npos) return std::nullopt;
  return value[number] != '0';
}

class Observing {
 public:
  Observing(const FabricSpec& spec, const Snapshot& snapshot, const Evidence& evidence)
      : spec_{spec}, snapshot_{snapshot}, evidence_{evidence} {}

  reach::NetworkNow run(const NetworkSpec& network) {
    now_ = declared_network(spec_, network);
    std::vector<reach::Host>& hosts = now_.fabric.hosts;
    std::vector<std::optional<platform::HostRouting>> routings(hosts.size());
    for_each_index(
        hosts.size(), [&](std::size_t index) { routings[index] = routing_of(hosts[index].node); });
    for (std::size_t index = 0; index < hosts.size(); ++index)
      read(hosts[index], routings[index]);
    for (const auto& [a, b] : now_.fabric.cables) {
      keep_light(a, b.node);
      keep_light(b, a.node);
    }
    return std::move(now_);
  }

 private:
  // The observed routing of a host; nullopt if it is unknown.
  std::optional<platform::HostRouting> routing_of(const NodeName& node) const {
    const auto observed = snapshot_.nodes.find(node);
    const bool is_read = is_linux(spec_, node) && observed != snapshot_.nodes.end() &&
                         observed->second.facts.reachable() && observed->second.routing != nullptr;
    return is_read ? observed->second.routing(observed->second.facts) : std::nullopt;
  }

  void read(reach::Host& host, const std::optional<platform::HostRouting>& routing) {
    if (is_offline(spec_, host.node)) {
      add_declared_routes(host);
      return;
    }
    if (!is_linux(spec_, host.node)) return;
    if (!routing) {
      now_.away.unknown.insert(host.node);
      add_declared_routes(host);
      return;
    }
    read_chaining(host);
    std::map<std::string, std::size_t, std::less<>> number_of;
    for (std::size_t number = 0; number < host.ports.size(); ++number)
      read_port(host.ports[number], number, *routing, number_of);
    for (const platform::LinkRoute& route : routing->routes) {
      const auto found = number_of.find(route.interface);
      if (found != number_of.end())
        host.routes.push_back({route.to, found->second, route.table, route.metric});
    }
    for (const platform::RuleBySource& rule : routing->rules)
      host.rules.push_back({rule.from, rule.table});
  }

  void keep_light(const PortRef& port, const NodeName& peer) {
    const bool may_be_away = now_.away.nodes.contains(peer) || now_.away.unknown.contains(peer);
    if (may_be_away && with_carrier_.contains(port)) now_.away.lit.insert(port);
  }

  void read_chaining(reach::Host& host) const {
    for (auto& [adapter, chains] : host.chaining)
      chains = is_chaining(evidence_.setting(host.node, adapter, kChaining));
  }

  void read_port(
      reach::Port& port,
      std::size_t number,
      const platform::HostRouting& routing,
      std::map<std::string, std::size_t, std::less<>>& number_of) {
    const PortEvidence found = evidence_.port(port.name);
    const auto interface =
        found.device ? routing.interfaces.find(found.device->name) : routing.interfaces.end();
    if (interface == routing.interfaces.end()) {
      port.up = false;
      port.addresses.clear();
      return;
    }
    const platform::RoutedInterface& read = interface->second;
    number_of.emplace(interface->first, number);
    port.up = read.up;
    port.arp_ignore = read.arp_ignore;
    port.rp_filter = read.rp_filter;
    port.ignores_linkdown = read.ignores_linkdown;
    if (read.carrier == false) now_.away.dark.insert(port.name);
    if (read.carrier == true) with_carrier_.insert(port.name);
    // Only those of the document's addresses count that the host has.
    std::erase_if(port.addresses, [&](const reach::Address& wanted) {
      return std::ranges::none_of(
          read.addresses, [&](const auto& own) { return own.address == wanted.address; });
    });
  }

  const FabricSpec& spec_;
  const Snapshot& snapshot_;
  const Evidence& evidence_;
  reach::NetworkNow now_;
  std::set<PortRef> with_carrier_;
};

}  // namespace

std::vector<reach::NetworkNow> declared_paths(const FabricSpec& spec) {
  std::vector<reach::NetworkNow> all;
  for (const NetworkSpec* network : chains_of(spec)) {
    reach::NetworkNow& now = all.emplace_back(declared_network(spec, *network));
    for (reach::Host& host : now.fabric.hosts)
      add_declared_routes(host);
  }
  return all;
}

std::vector<reach::NetworkNow> observed_paths(
    const FabricSpec& spec, const Snapshot& snapshot, const Evidence& evidence) {
  std::vector<reach::NetworkNow> all;
  for (const NetworkSpec* network : chains_of(spec))
    all.push_back(Observing{spec, snapshot, evidence}.run(*network));
  return all;
}

std::vector<reach::NetworkNow> observed_paths(const FabricSpec& spec, const Snapshot& snapshot) {
  // The evidence of a fleet takes its time.
  if (chains_of(spec).empty()) return {};
  return observed_paths(spec, snapshot, Evidence{spec, snapshot});
}

}  // namespace fabric::discovery
