// SPDX-License-Identifier: Apache-2.0
// IP addresses: each used once, inside its subnet, subnets apart.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kAddressingRules[] = {
    {"address-conflict",
     Severity::error,
     RuleStage::document,
     "Two ports, or two nodes, answer to one address: traffic reaches either by chance, and one "
     "node would be configured twice.",
     "E-ip-conflict: RFC 5227",
     "Give each its own address, or each node its own `host` number."},
    {"address-outside-subnet",
     Severity::error,
     RuleStage::document,
     "An address, gateway or next hop that is not in its subnet can't be reached over the port.",
     "E-ip-subnet: RFC 950",
     "Correct the address or widen the subnet."},
    {"subnet-overlap",
     Severity::error,
     RuleStage::document,
     "With overlapping subnets on different ports the kernel sends to only one of them, by "
     "whichever route came first.",
     "E-ip-overlap: RFC 1812, 5.2.4.3",
     "Give every network and VLAN a subnet of its own."},
    {"subnet-reserved",
     Severity::error,
     RuleStage::document,
     "The addresses of the subnet are no addresses of hosts: loopback, link-local, multicast, or "
     "reserved. The kernel refuses them, or keeps them on the host.",
     "E-ip-reserved: RFC 6890; RFC 4291",
     "Take a private subnet: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or fd00::/8."},
    {"route-conflict",
     Severity::error,
     RuleStage::document,
     "Two routes of one port have the same destination. The kernel keeps the last one alone.",
     "E-ip-overlap: RFC 1812, 5.2.4.3",
     "Keep one next hop."},
    {"subnet-split",
     Severity::warning,
     RuleStage::document,
     "Two ports of a node are in one subnet, on wires that nothing joins. The kernel has one "
     "route to the subnet. Frames that come in by the other port are answered by the first port "
     "and lost.",
     "E-linux-two-ports-one-subnet: Linux, Documentation/networking/ip-sysctl.rst; measured on "
     "Debian 12",
     "Give each wire a network and subnet of its own, or make a bond of the ports."},
};

// One `ipv4` or `ipv6` mapping with its name in messages: "network storage", "VLAN guests of ...".
struct Block {
  std::string name;
  const IpSpec* ip;
};

std::vector<Block> blocks(const FabricSpec& spec) {
  std::vector<Block> result;
  for (const auto& [name, network] : spec.networks) {
    result.push_back({"network " + name, &network.ipv4});
    result.push_back({"network " + name, &network.ipv6});
    for (const VlanSpec& vlan : network.vlans) {
      result.push_back({fmt::format("VLAN {} of network {}", vlan.name, name), &vlan.ipv4});
    }
    if (network.ipoib) result.push_back({"IPoIB of network " + name, &network.ipoib->ipv4});
  }
  return result;
}

struct NamedSubnet {
  std::string name;
  const Sourced<Subnet>* subnet = nullptr;
};

std::vector<NamedSubnet> subnets(const FabricSpec& spec, const std::vector<Block>& all) {
  std::vector<NamedSubnet> found;
  for (const Block& block : all) {
    if (block.ip->subnet) found.push_back({block.name, &*block.ip->subnet});
  }
  for (const auto& [name, network] : spec.networks) {
    if (network.loopback && network.loopback->subnet)
      found.push_back({"the loopbacks of network " + name, &*network.loopback->subnet});
  }
  return found;
}

// Overlaps by a sweep in order of first address: of the subnets that begin before this one, only
// the widest so far can reach into it.
void check_overlap(std::vector<NamedSubnet> sorted, Diagnostics& diagnostics) {
  std::stable_sort(sorted.begin(), sorted.end(), [](const NamedSubnet& a, const NamedSubnet& b) {
    return a.subnet->value < b.subnet->value;
  });
  const NamedSubnet* widest = nullptr;
  for (const NamedSubnet& each : sorted) {
    if (widest != nullptr && widest->subnet->value.overlaps(each.subnet->value)) {
      // The later in the document is the one to question.
      const bool in_order = widest->subnet->range < each.subnet->range;
      const NamedSubnet& earlier = in_order ? *widest : each;
      const NamedSubnet& later = in_order ? each : *widest;
      diagnostics
          .error(
              "subnet-overlap",
              later.subnet->range,
              fmt::format(
                  "subnet {} of {} overlaps {} of {}",
                  later.subnet->value.str(),
                  later.name,
                  earlier.subnet->value.str(),
                  earlier.name))
          .with_note(earlier.subnet->range, "the other subnet")
          .with_help("give every network and VLAN a subnet of its own");
      continue;
    }
    widest = &each;
  }
}

// The two of a pair have addresses of their own at the link between them; those of another pair may
// be the same.
void check_links(
    const FabricSpec& spec, const std::vector<NamedSubnet>& named, Diagnostics& diagnostics) {
  for (const auto& [name, node] : spec.nodes) {
    const auto own = node.mlag ? Subnet::of_address(node.mlag->address.value)
                               : Result<Subnet>{Error{ErrorCode::invalid, ""}};
    for (const NamedSubnet& each : named) {
      if (!own || !own->overlaps(each.subnet->value)) continue;
      diagnostics
          .error(
              "subnet-overlap",
              node.mlag->address.range,
              fmt::format(
                  "mlag.address {} of {} lies in {} of {}",
                  node.mlag->address.value,
                  name.str(),
                  each.subnet->value.str(),
                  each.name))
          .about(name)
          .with_note(each.subnet->range, "the other subnet")
          .with_help("give the link between the two a subnet of its own");
    }
  }
}

// An ordinary address of the subnet.
bool fits(const Subnet& subnet, const IpAddress& address) {
  return subnet.contains(address) && !subnet.is_reserved(address);
}

void check_inside(const Block& block, Diagnostics& diagnostics) {
  if (!block.ip->subnet) return;
  const Sourced<Subnet>& subnet = *block.ip->subnet;
  for (const auto& [port, addresses] : block.ip->addresses) {
    for (const Sourced<IpAddress>& address : addresses) {
      const bool is_cut_up = block.ip->cable_prefix != 0;
      if (is_cut_up ? subnet.value.contains(address.value) : fits(subnet.value, address.value))
        continue;
      diagnostics
          .error(
              "address-outside-subnet",
              address.range,
              fmt::format(
                  "address {} of {} is no host address of subnet {}",
                  address.value.str(),
                  port.str(),
                  subnet.value.str()))
          .about(port.subject())
          .with_note(subnet.range, "the subnet of " + block.name)
          .with_help("correct the address or widen the subnet");
    }
  }
}

void check_reserved(const NamedSubnet& named, Diagnostics& diagnostics) {
  constexpr const char* kReserved[] = {
      "0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/3", "::/8", "fe80::/10", "ff00::/8"};
  for (const char* each : kReserved) {
    if (!Subnet::parse(each)->overlaps(named.subnet->value)) continue;
    diagnostics
        .error(
            "subnet-reserved",
            named.subnet->range,
            fmt::format(
                "no host can have an address of {}, the subnet of {}: {} is reserved",
                named.subnet->value.str(),
                named.name,
                each))
        .with_help("take a private subnet, for example of 10.0.0.0/8 or fd00::/8");
  }
}

void check_next_hop(
    const Block& block,
    const Sourced<std::string>& hop,
    std::string_view what,
    Diagnostics& diagnostics) {
  if (hop.value.empty()) return;
  const Result<IpAddress> address = IpAddress::parse(hop.value);
  if (!address) {
    diagnostics.error(
        "out-of-range",
        hop.range,
        fmt::format("{} of {}: {}", what, block.name, address.error().message));
  } else if (block.ip->subnet && !fits(block.ip->subnet->value, *address)) {
    diagnostics
        .error(
            "address-outside-subnet",
            hop.range,
            fmt::format(
                "{} {} of {} is not in its subnet {}",
                what,
                hop.value,
                block.name,
                block.ip->subnet->value.str()))
        .with_note(block.ip->subnet->range, "the subnet is given here")
        .with_help("the gateway must be in a subnet of this port");
  }
}

void check_routes(const Block& block, Diagnostics& diagnostics) {
  std::map<std::string, const RouteSpec*> first;
  for (const RouteSpec& route : block.ip->routes) {
    check_next_hop(block, route.via, "next hop", diagnostics);
    const auto [found, is_new] = first.emplace(route.to.value, &route);
    if (is_new) continue;
    diagnostics
        .error(
            "route-conflict",
            route.to.range,
            fmt::format("{} has two routes to {}", block.name, route.to.value))
        .with_note(found->second->to.range, "the first route")
        .with_help("keep one next hop");
  }
}

// The owner of an address: a port, or the gateway of a block. Its text is only made for a finding.
struct Holder {
  const PortRef* port = nullptr;
  const Block* gateway_of = nullptr;
  SourceRange range;
  std::string name() const {
    return port != nullptr ? port->str() : "the gateway of " + gateway_of->name;
  }
};

void claim(
    std::map<IpAddress, Holder>& taken,
    const IpAddress& address,
    const Holder& holder,
    const std::set<SourceRange>& subnets,
    Diagnostics& diagnostics) {
  const std::size_t before = taken.size();
  const auto found = taken.emplace_hint(taken.end(), address, holder);  // most come in order
  if (taken.size() > before) return;
  const std::string name = holder.name();
  const std::string other = found->second.name();
  if (name == other) return;
  // Two addresses that were counted in two subnets: these overlap.
  if (holder.range != found->second.range && subnets.contains(holder.range) &&
      subnets.contains(found->second.range))
    return;
  diagnostics
      .error(
          "address-conflict",
          holder.range,
          fmt::format("address {} of {} is also that of {}", address.str(), name, other))
      .about(holder.port != nullptr ? holder.port->subject() : Subject{})
      .with_note(found->second.range, "it is given to " + other + " here")
      .with_help("give each its own address, or each node its own `host` number");
}

void check_conflicts(const std::vector<Block>& all, Diagnostics& diagnostics) {
  std::map<IpAddress, Holder> taken;
  std::set<SourceRange> subnets;
  for (const Block& block : all)
    if (block.ip->subnet) subnets.insert(block.ip->subnet->range);
  for (const Block& block : all) {
    for (const auto& [port, addresses] : block.ip->addresses) {
      for (const Sourced<IpAddress>& address : addresses) {
        claim(taken, address.value, {&port, nullptr, address.range}, subnets, diagnostics);
      }
    }
    if (const Result<IpAddress> gateway = IpAddress::parse(block.ip->gateway.value)) {
      claim(taken, *gateway, {nullptr, &block, block.ip->gateway.range}, subnets, diagnostics);
    }
  }
}

// A node has one route to a destination: that of a port to its subnet, or one of a network.
void check_routes_of_nodes(const std::vector<Block>& all, Diagnostics& diagnostics) {
  struct First {
    const Block* block;
    SourceRange place;
  };
  std::map<std::pair<NodeName, std::string>, First> taken;
  for (const Block& block : all) {
    if (!block.ip->subnet) continue;
    for (const auto& [port, addresses] : block.ip->addresses)
      taken.try_emplace(
          {port.node, block.ip->subnet->value.str()}, First{&block, block.ip->subnet->range});
  }
  std::set<std::pair<SourceRange, SourceRange>> told;
  for (const Block& block : all) {
    if (block.ip->routes.empty()) continue;
    for (const auto& [port, addresses] : block.ip->addresses) {
      for (const RouteSpec& route : block.ip->routes) {
        const Result<Subnet> to = Subnet::of_destination(route.to.value);
        const auto [first, is_new] = taken.try_emplace(
            {port.node, to ? to->str() : route.to.value}, First{&block, route.to.range});
        const SourceRange earlier = first->second.place;
        // Twice in one network is reported there.
        const bool is_route =
            !first->second.block->ip->subnet || earlier != first->second.block->ip->subnet->range;
        if (is_new || (is_route && first->second.block == &block) ||
            !told.insert({earlier, route.to.range}).second)
          continue;
        diagnostics
            .error(
                "route-conflict",
                route.to.range,
                fmt::format(
                    "{} has a route to {} by {} already",
                    port.node.str(),
                    route.to.value,
                    first->second.block->name))
            .about(port.node)
            .with_note(earlier, is_route ? "the first route" : "the subnet is given here")
            .with_help("keep one of the two");
      }
    }
  }
}

// True if some node has addresses at two of its ports, which stand side by side.
bool has_two_of_a_node(const IpSpec& ip) {
  return std::adjacent_find(
             ip.addresses.begin(), ip.addresses.end(), [](const auto& a, const auto& b) {
               return a.first.node == b.first.node;
             }) != ip.addresses.end();
}

// True if all cables of the node lead to one other: only then can they be one bond.
bool has_one_peer(const NetworkSpec& network, const NodeName& node) {
  std::set<NodeName> peers;
  for (const CableSpec& cable : network.cables) {
    if (cable.a.value.node == node) peers.insert(cable.b.value.node);
    if (cable.b.value.node == node) peers.insert(cable.a.value.node);
  }
  return peers.size() == 1;
}

// Reports ports with a wire each and one subnet for all of them: the kernel has one route to the
// subnet and answers by it, whichever port was asked.
void check_segments(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  // With `per: cable` no two ports are in one subnet.
  const bool is_of_cables = network.ipv4.cable_prefix != 0;
  const IpSpec& ip = network.ipv4.subnet && !is_of_cables ? network.ipv4 : network.ipv6;
  if (network.mode.value != Mode::ethernet || !ip.subnet || ip.cable_prefix != 0 ||
      !has_two_of_a_node(ip))
    return;
  // Ethernet segments are made as InfiniBand subnets are: switches join, hosts do not forward.
  const InfinibandSubnets segments = infiniband_subnets(network);
  std::map<NodeName, PortRef> first_of;
  for (const auto& [port, segment] : segments.of_port) {
    if (!ip.addresses.contains(port)) continue;
    const auto [first, is_first] = first_of.emplace(port.node, port);
    if (is_first || segments.of_port.at(first->second) == segment) continue;
    diagnostics
        .warning(
            "subnet-split",
            context.use(network, port).range,
            fmt::format(
                "{} and {} are in one subnet, {}, but no switch joins their wires",
                first->second.str(),
                port.str(),
                ip.subnet->value.str()))
        .about(port.subject())
        .with_note(context.use(network, first->second).range, "the wire of " + first->second.str())
        .with_help(
            has_one_peer(network, port.node)
                ? "make two networks of it, each with its subnet, or one bond (mode lag)"
                : "give each cable a subnet of its own (`ipv4: {per: cable}`, and `transit` where "
                  "hosts forward for each other), or make a network of each");
  }
}

}  // namespace

RuleRows addressing_rules() {
  return kAddressingRules;
}

void check_addressing(const Context& context, Diagnostics& diagnostics) {
  const std::vector<Block> all = blocks(context.spec());
  const std::vector<NamedSubnet> named = subnets(context.spec(), all);
  for (const NamedSubnet& each : named)
    check_reserved(each, diagnostics);
  check_overlap(named, diagnostics);
  check_links(context.spec(), named, diagnostics);
  check_conflicts(all, diagnostics);
  for (const Block& block : all) {
    check_inside(block, diagnostics);
    check_next_hop(block, block.ip->gateway, "gateway", diagnostics);
    check_routes(block, diagnostics);
  }
  check_routes_of_nodes(all, diagnostics);
  for (const auto& [name, network] : context.spec().networks)
    check_segments(context, network, diagnostics);
}

}  // namespace fabric::rules
