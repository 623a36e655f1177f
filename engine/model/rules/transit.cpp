// SPDX-License-Identifier: Apache-2.0
// Hosts that forward: subnets of cables, loopbacks, and whether each reaches each.
#include "engine/model/topology/transit.hpp"

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "engine/model/cable_ports.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kTransitRules[] = {
    {"transit-not-built",
     Severity::error,
     RuleStage::document,
     "`transit: frr` is reserved for a routing protocol, which fabric does not set up yet.",
     "E-grammar: docs/document.md",
     "Use `transit: static`: it needs no daemon, and a cable or a host may fail."},
    {"transit-incomplete",
     Severity::error,
     RuleStage::document,
     "Hosts forward to loopbacks over cables with a subnet each. Without one of the three keys the "
     "others have no meaning.",
     "E-transit-loopback: RFC 1812, 2.2.7; Proxmox VE, SDN, Fabrics",
     "Give `ipv4: {per: cable, subnet: ...}`, `loopback: {subnet: ...}` and `transit: static`."},
    {"transit-not-joined",
     Severity::error,
     RuleStage::document,
     "No cables lead from one of two hosts to the other, so their loopbacks never reach each "
     "other.",
     "E-transit-loopback: RFC 1812, 2.2.7; Proxmox VE, SDN, Fabrics",
     "Cable the two parts to each other, or make two networks of them."},
    {"transit-cut",
     Severity::warning,
     RuleStage::document,
     "After the loss of one cable or host other hosts no longer reach each other: there is no "
     "second way, or the static routes do not use it.",
     "E-transit-tables: S. Nelakuditi and others, 'Fast local rerouting for handling transient "
     "link "
     "failures', IEEE/ACM Transactions on Networking 15 (2007)",
     "Close the ring, or add a cable between the parts."},
    {"transit-hops",
     Severity::info,
     RuleStage::document,
     "Hosts forward the packets of others in their kernels. What is between two hosts that are no "
     "neighbours shares its cables with the traffic of all hosts on the way.",
     "E-transit-hops: NVIDIA/dgx-spark-playbooks; MiaAI-Lab/DeepSeek-v4.1-Flash-DGX-Sparks, pull "
     "request 3",
     "Nothing to do. Keep it in mind when you place services."},
    {"transit-too-large",
     Severity::error,
     RuleStage::document,
     "Each host has a route to each other one in each of its tables. That suits rings and meshes "
     "of a few hosts, and does not replace switches.",
     "E-transit-tables: S. Nelakuditi and others, 'Fast local rerouting for handling transient "
     "link "
     "failures', IEEE/ACM Transactions on Networking 15 (2007)",
     "Make several networks, or use a switch."},
    {"cable-without-subnet",
     Severity::error,
     RuleStage::document,
     "With `per: cable` a port has the subnet that it shares with the other end of its cable: a "
     "host, or a port of a managed Cumulus switch, which routes. A port at another switch, or "
     "without a cable, has none.",
     "E-cable-subnet: RFC 3021; E-nvue-address: NVUE reference, interface address",
     "Leave `per: cable` out, or give the port a cable to another host or to such a switch."},
    {"cable-subnet-unfit",
     Severity::error,
     RuleStage::document,
     "A port of a switch that has a subnet with a host is in no bridge, so it carries no VLAN and "
     "no subnet of several hosts. "
     "fabric sets up no routing protocol, so the switch has no route to loopbacks. The host has "
     "one route to the whole network, by way of that port; a second such port would have "
     "the same route.",
     "E-nvue-address: NVUE reference, interface address",
     "Give each rail a network of its own, and leave VLANs and `ipv6` to networks without `per: "
     "cable`."},
    {"cable-ends-apart",
     Severity::error,
     RuleStage::document,
     "The two ends of a cable have addresses that are in no subnet of the cable's prefix length, "
     "so "
     "neither end reaches the other.",
     "E-cable-subnet: RFC 3021",
     "Give both ends addresses of one such subnet, or leave them out."},
};

// Ranks are found by a walk for each pair of hosts and each port.
constexpr std::size_t kMostHosts = 64;

bool is_routed(const NetworkSpec& network) {
  return network.mode.value == Mode::ethernet && network.transit.value == Transit::by_static;
}

void check_completeness(const NetworkSpec& network, Diagnostics& diagnostics) {
  if (network.mode.value != Mode::ethernet) return;  // key-not-in-mode
  if (network.transit.value == Transit::by_frr) {
    diagnostics
        .error(
            "transit-not-built",
            network.transit.range,
            fmt::format(
                "`transit: frr` of network {} is not built yet: fabric sets up no routing protocol",
                network.name))
        .with_help("use `transit: static`");
    return;
  }
  const char* missing = nullptr;
  if (is_routed(network) && !network.loopback) missing = "loopback: {subnet: ...}";
  if (is_routed(network) && network.ipv4.cable_prefix == 0)
    missing = "ipv4: {per: cable, subnet: ...}";
  if (!is_routed(network) && network.loopback) missing = "transit: static";
  // A word of `transit` that can't be read has been reported.
  if (missing == nullptr || (network.keys.contains("transit") && !is_known(network.transit.range)))
    return;
  Diagnostic& found = diagnostics
                          .error(
                              "transit-incomplete",
                              is_routed(network) ? network.transit.range : network.loopback->range,
                              fmt::format(
                                  "network {} has {}, and no `{}`",
                                  network.name,
                                  is_routed(network) ? "`transit: static`" : "a loopback",
                                  missing))
                          .with_help(fmt::format("add `{}`", missing));
  if (is_routed(network) && network.loopback && is_known(network.ipv4.range))
    found.with_note(network.ipv4.range, "its addresses");
}

// Reports back ends in the document that can't have routes of transit; no node is asked.
void check_backends(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const NodeSpec* previous = nullptr;
  for (const PortRef& port : context.members(network)) {
    const NodeSpec* node = context.node(port);
    if (node == nullptr || node == previous) continue;
    previous = node;
    const NetworkBackend backend = node->network_backend.value;
    if (backend == NetworkBackend::automatic || backend == NetworkBackend::networkd ||
        backend == NetworkBackend::ifupdown)
      continue;
    diagnostics
        .error(
            "transit-backend-unsupported",
            node->network_backend.range,
            fmt::format(
                "{}: fabric writes no `transit: static` for {}",
                node->name.str(),
                to_string(backend)))
        .about(node->name)
        .with_note(network.transit.range, "the network asks for it here")
        .with_help("use networkd, ifupdown or ifupdown2 on the node: network_backend");
  }
}

// A port of a switch with a subnet of its own. `first`: by host, the port whose route came first.
void check_routed(
    const NetworkSpec& network,
    const CableSpec& cable,
    std::map<NodeName, const PortRef*>& first,
    Diagnostics& diagnostics) {
  const auto unfit = [&](SourceRange place, std::string message) -> Diagnostic& {
    return diagnostics.error("cable-subnet-unfit", place, std::move(message))
        .with_note(network.ipv4.range, "each cable has a subnet of its own here");
  };
  const PortRef& port = (cable.a.value.adapter.empty() ? cable.a : cable.b).value;
  const PortRef& host = (cable.a.value.adapter.empty() ? cable.b : cable.a).value;
  if (is_routed(network))
    unfit(
        network.transit.range,
        fmt::format(
            "{} is at switch {}, which has no route to the loopbacks of network {}",
            host.str(),
            port.node.str(),
            network.name))
        .about(host.subject())
        .with_help("leave `transit` and `loopback` out, or cable the hosts to each other");
  if (network.access_vlan.value != 0 || !network.vlans.empty()) {
    const bool is_access = network.access_vlan.value != 0;
    unfit(
        is_access ? network.access_vlan.range : network.vlans.front().range,
        fmt::format(
            "{} has a subnet with {}, so the port is in no bridge and carries no VLAN",
            port.str(),
            host.str()))
        .about(port.subject())
        .with_help(
            is_access ? "leave `access_vlan` out: rails with a subnet for each cable are apart "
                        "without it"
                      : "give the VLAN a network without `per: cable`");
  }
  if (is_known(network.ipv6.range))
    unfit(
        network.ipv6.range,
        fmt::format(
            "{} has a subnet with {}, so the port is in no bridge, and the IPv6 subnet of network "
            "{} ends there",
            port.str(),
            host.str(),
            network.name))
        .about(port.subject())
        .with_help("leave `ipv6` out, or give it a network without `per: cable`");
  const auto [before, is_first] = first.try_emplace(host.node, &host);
  if (is_first) return;
  unfit(
      cable.range,
      fmt::format(
          "{} and {} would both have a route to all of network {}",
          before->second->str(),
          host.str(),
          network.name))
      .about(host.subject())
      .with_help("give each rail a network of its own");
}

void check_cables(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const std::set<PortRef> fit = cable_ports(context.spec(), network.cables);
  std::map<NodeName, const PortRef*> first;
  for (const CableSpec& cable : network.cables) {
    const bool has_switch = cable.a.value.adapter.empty() || cable.b.value.adapter.empty();
    if (has_switch && fit.contains(cable.a.value)) check_routed(network, cable, first, diagnostics);
  }
  for (const PortRef& port : context.members(network)) {
    if (port.adapter.empty() || fit.contains(port)) continue;
    diagnostics
        .error(
            "cable-without-subnet",
            context.use(network, port).range,
            fmt::format(
                "{} has no subnet, because no cable joins it to another host or to a switch that "
                "routes",
                port.str()))
        .about(port.subject())
        .with_note(network.ipv4.range, "each cable has a subnet of its own here")
        .with_help(
            "leave `per: cable` out, or give the port a cable to another host or to a managed "
            "Cumulus switch");
  }
}

// "10.40.0.4/31"
std::string subnet_text(const IpAddress& address, std::uint32_t prefix) {
  const Result<Subnet> subnet = Subnet::of_address(fmt::format("{}/{}", address.str(), prefix));
  return subnet ? subnet->str() : address.str();
}

void check_ends(const NetworkSpec& network, Diagnostics& diagnostics) {
  const IpSpec& ip = network.ipv4;
  for (const CableSpec& cable : network.cables) {
    const auto a = ip.addresses.find(cable.a.value);
    const auto b = ip.addresses.find(cable.b.value);
    if (a == ip.addresses.end() || b == ip.addresses.end()) continue;
    const Sourced<IpAddress>& one = a->second.front();
    const Sourced<IpAddress>& other = b->second.front();
    const std::string subnet = subnet_text(one.value, ip.cable_prefix);
    if (subnet == subnet_text(other.value, ip.cable_prefix)) continue;
    diagnostics
        .error(
            "cable-ends-apart",
            other.range,
            fmt::format(
                "cable {}: {} is not in {}, the subnet of {}",
                describe(cable),
                other.value.str(),
                subnet,
                one.value.str()))
        .about(cable.b.value.subject())
        .with_note(cable.range, "the cable")
        .with_help("give both ends addresses of one subnet, or none");
  }
}

void check_ways(const NetworkSpec& network, Diagnostics& diagnostics) {
  const TransitGraph graph{network};
  if (const auto apart = graph.apart()) {
    diagnostics
        .error(
            "transit-not-joined",
            network.transit.range,
            fmt::format(
                "no cables of network {} lead from {} to {}",
                network.name,
                apart->first.str(),
                apart->second.str()))
        .because_of(network.unread_end)
        .with_help("cable the two parts to each other, or make two networks of them");
    return;
  }
  if (const CableSpec* bridge = graph.bridge()) {
    diagnostics
        .warning(
            "transit-cut",
            bridge->range,
            fmt::format(
                "without cable {} some hosts of network {} lose each other",
                describe(*bridge),
                network.name))
        .because_of(network.unread_end)
        .with_help("close the ring, or add a cable between the parts");
  } else if (const auto lost = graph.unprotected()) {
    const std::string without =
        lost->cable != nullptr ? "cable " + describe(*lost->cable) : lost->node->str();
    diagnostics
        .warning(
            "transit-cut",
            lost->cable != nullptr ? lost->cable->range : network.transit.range,
            fmt::format(
                "without {} the packets of {} do not find their way to {}, though a way exists",
                without,
                lost->lost.first.str(),
                lost->lost.second.str()))
        .with_help("add a cable between the two, or cable the hosts as a ring or a full mesh");
  }
  if (graph.diameter() < 2) return;
  diagnostics
      .info(
          "transit-hops",
          network.transit.range,
          fmt::format(
              "network {} of {} hosts: a packet crosses up to {} cables and is forwarded up to {} "
              "times; each cable carries the traffic of all ways over it",
              network.name,
              graph.nodes().size(),
              graph.diameter(),
              graph.diameter() - 1))
      .with_help("full bandwidth is between direct neighbours only");
}

void check_network(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  check_completeness(network, diagnostics);
  if (network.ipv4.cable_prefix != 0) {
    check_cables(context, network, diagnostics);
    if (is_routed(network)) check_backends(context, network, diagnostics);
    check_ends(network, diagnostics);
  }
  if (!is_routed(network) || network.ipv4.cable_prefix == 0) return;  // transit-incomplete
  std::set<NodeName> hosts;
  for (const PortRef& port : context.members(network)) {
    if (!port.adapter.empty()) hosts.insert(port.node);
  }
  if (hosts.size() <= kMostHosts) return check_ways(network, diagnostics);
  diagnostics
      .error(
          "transit-too-large",
          network.transit.range,
          fmt::format(
              "network {} has {} hosts that would forward; {} are the most",
              network.name,
              hosts.size(),
              kMostHosts))
      .with_help("make several networks of them, or use a switch");
}

}  // namespace

RuleRows transit_rules() {
  return kTransitRules;
}

void check_transit(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, network] : context.spec().networks) {
    const About about{diagnostics, name};
    check_network(context, network, diagnostics);
  }
}

}  // namespace fabric::rules
