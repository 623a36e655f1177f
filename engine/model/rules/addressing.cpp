// IP addresses: each used once, inside its subnet, subnets apart.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"
#include "engine/model/topology/infiniband_subnets.hpp"

namespace fabric::rules {

namespace {

// One `ipv4` or `ipv6` mapping with what to call it: "network storage", "VLAN guests of ...".
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

// Overlaps by a sweep in order of first address: of the subnets that begin before this one, only
// the widest so far can reach into it.
void check_overlap(const std::vector<Block>& all, Diagnostics& diagnostics) {
  std::vector<const Block*> sorted;
  for (const Block& block : all) {
    if (block.ip->subnet) sorted.push_back(&block);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Block* a, const Block* b) {
    return a->ip->subnet->value < b->ip->subnet->value;
  });
  const Block* widest = nullptr;
  for (const Block* block : sorted) {
    if (widest != nullptr && widest->ip->subnet->value.overlaps(block->ip->subnet->value)) {
      // The later in the document is the one to question.
      const bool in_order = widest->ip->subnet->range < block->ip->subnet->range;
      const Block& earlier = in_order ? *widest : *block;
      const Block& later = in_order ? *block : *widest;
      diagnostics
          .error(
              "subnet-overlap",
              later.ip->subnet->range,
              fmt::format(
                  "subnet {} of {} overlaps {} of {}",
                  later.ip->subnet->value.str(),
                  later.name,
                  earlier.ip->subnet->value.str(),
                  earlier.name))
          .with_note(earlier.ip->subnet->range, "the other subnet")
          .with_help("give every network and VLAN a subnet of its own");
      continue;
    }
    widest = block;
  }
}

// The address is an ordinary one of the subnet: inside, not the network itself, not IPv4 broadcast.
bool fits(const Subnet& subnet, const IpAddress& address) {
  if (!subnet.contains(address)) return false;
  const std::uint32_t bits = address.family() == Family::ipv4 ? 32 : 128;
  if (subnet.prefix_length() + 1 >= bits) return true;  // RFC 3021: /31 has two hosts
  if (address == subnet.network()) return false;
  if (address.family() == Family::ipv6) return true;
  const std::uint64_t hosts = std::uint64_t{1} << (bits - subnet.prefix_length());
  // The last host address is host(hosts - 2); broadcast fails there.
  const Result<IpAddress> last = subnet.host(hosts - 2);
  return !last || address <= *last;
}

void check_inside(const Block& block, Diagnostics& diagnostics) {
  if (!block.ip->subnet) return;
  const Sourced<Subnet>& subnet = *block.ip->subnet;
  for (const auto& [port, addresses] : block.ip->addresses) {
    for (const Sourced<IpAddress>& address : addresses) {
      if (fits(subnet.value, address.value)) continue;
      diagnostics
          .error(
              "address-outside-subnet",
              address.range,
              fmt::format(
                  "address {} of {} is no host address of subnet {}",
                  address.value.str(),
                  port.str(),
                  subnet.value.str()))
          .with_note(subnet.range, "the subnet of " + block.name)
          .with_help("correct the address or widen the subnet");
    }
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
        .with_help("a next hop has to be reachable over the port itself");
  }
}

// A port, or the gateway of a block. Named only when there is something to say about it.
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
    Diagnostics& diagnostics) {
  const std::size_t before = taken.size();
  const auto found = taken.emplace_hint(taken.end(), address, holder);  // most come in order
  if (taken.size() > before) return;
  const std::string name = holder.name();
  const std::string other = found->second.name();
  if (name == other) return;
  diagnostics
      .error(
          "address-conflict",
          holder.range,
          fmt::format("address {} of {} is also that of {}", address.str(), name, other))
      .with_note(found->second.range, "it is given to " + other + " here")
      .with_help("give each its own address, or each node its own `host` number");
}

void check_conflicts(const std::vector<Block>& all, Diagnostics& diagnostics) {
  std::map<IpAddress, Holder> taken;
  for (const Block& block : all) {
    for (const auto& [port, addresses] : block.ip->addresses) {
      for (const Sourced<IpAddress>& address : addresses) {
        claim(taken, address.value, {&port, nullptr, address.range}, diagnostics);
      }
    }
    if (const Result<IpAddress> gateway = IpAddress::parse(block.ip->gateway.value)) {
      claim(taken, *gateway, {nullptr, &block, block.ip->gateway.range}, diagnostics);
    }
  }
}

void check_reached_once(const Context& context, Diagnostics& diagnostics) {
  using Way = std::tuple<std::string_view, std::uint32_t, std::string_view, std::string_view>;
  std::map<Way, const NodeSpec*> reached;
  for (const auto& [name, node] : context.spec().nodes) {
    if (node.platform.value == Platform::unmanaged) continue;
    // Behind a jump host or another port, an equal address is another machine.
    const Way way{
        node.address.value, node.ssh->port.value, node.ssh->jump.value, node.ssh->via.value};
    const std::size_t before = reached.size();
    const auto first = reached.emplace_hint(reached.end(), way, &node);  // most come in order
    if (reached.size() > before) continue;
    diagnostics
        .error(
            "address-conflict",
            is_known(node.address.range) ? node.address.range : node.range,
            fmt::format(
                "{} and {} have one management address, {}",
                first->second->name.str(),
                name.str(),
                node.address.value))
        .with_note(
            is_known(first->second->address.range) ? first->second->address.range
                                                   : first->second->range,
            "the address of " + first->second->name.str())
        .with_help("the same machine would be configured twice");
  }
}

// The `ipv4` or `ipv6` of the network that holds the node's management address, or null.
const IpSpec* holds_management(const NetworkSpec& network, const NodeSpec& node) {
  // Most nodes are reached by their names.
  if (node.address.value.find_first_of(".:") == std::string::npos) return nullptr;
  const Result<IpAddress> address = IpAddress::parse(node.address.value);
  if (!address) return nullptr;
  const IpSpec& ip = address->family() == Family::ipv4 ? network.ipv4 : network.ipv6;
  return ip.subnet && ip.subnet->value.contains(*address) ? &ip : nullptr;
}

void check_management_path(
    const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const NodeSpec* previous = nullptr;
  for (const PortRef& port : context.members(network)) {
    const NodeSpec* node = context.node(port);
    if (node == nullptr || node == previous) continue;
    previous = node;
    const IpSpec* ip = holds_management(network, *node);
    if (ip == nullptr) continue;
    const bool chain = network.mode.value == Mode::chain;
    Diagnostic found;
    found.severity = chain ? Severity::error : Severity::warning;
    found.rule = "mgmt-path-touched";
    found.range = node->address.range;
    found.message = fmt::format(
        "{} is reached at {}, which is in network {}",
        node->name.str(),
        node->address.value,
        network.name);
    found.with_note(ip->subnet->range, "the subnet of network " + network.name)
        .with_help(
            chain ? "every reboot cuts the ring, and with it the session; reach the node over "
                    "another network"
                  : "`apply` does not touch the path of its own session without --allow-mgmt-path");
    diagnostics.add(std::move(found));
  }
}

// Some node has addresses at two of its ports. They are in order, so those stand side by side.
bool has_two_of_a_node(const IpSpec& ip) {
  return std::adjacent_find(
             ip.addresses.begin(), ip.addresses.end(), [](const auto& a, const auto& b) {
               return a.first.node == b.first.node;
             }) != ip.addresses.end();
}

// A wire for each port and one subnet for all of them: the kernel has one route to the subnet and
// answers by it, whichever port was asked.
void check_segments(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const IpSpec& ip = network.ipv4.subnet ? network.ipv4 : network.ipv6;
  if (network.mode.value != Mode::ethernet || !ip.subnet || !has_two_of_a_node(ip)) return;
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
        .with_note(context.use(network, first->second).range, "the wire of " + first->second.str())
        .with_help("make two networks of it, each with its subnet, or one bond (mode lag)");
  }
}

}  // namespace

void check_addressing(const Context& context, Diagnostics& diagnostics) {
  const std::vector<Block> all = blocks(context.spec());
  check_overlap(all, diagnostics);
  check_conflicts(all, diagnostics);
  for (const Block& block : all) {
    check_inside(block, diagnostics);
    check_next_hop(block, block.ip->gateway, "gateway", diagnostics);
    for (const RouteSpec& route : block.ip->routes)
      check_next_hop(block, route.via, "next hop", diagnostics);
  }
  for (const auto& [name, network] : context.spec().networks)
    check_segments(context, network, diagnostics);
}

// Management addresses: each node its own, and none inside a network that is configured here.
void check_management(const Context& context, Diagnostics& diagnostics) {
  check_reached_once(context, diagnostics);
  for (const auto& [name, network] : context.spec().networks) {
    if (network.ipv4.subnet || network.ipv6.subnet) {
      check_management_path(context, network, diagnostics);
    }
  }
}

}  // namespace fabric::rules
