// SPDX-License-Identifier: Apache-2.0
// Management addresses: each node has its own, and none is inside a network that is configured
// here.
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kManagementRules[] = {
    {"mgmt-path-touched",
     Severity::warning,
     RuleStage::document,
     "The address over which a node is reached lies in a network that this document configures. "
     "A change there, or a reboot in a chain, cuts the SSH session that makes the change. The "
     "same holds for an interface that carries the session, and for a gateway, a route or a "
     "subnet that diverts the session's replies.",
     "E-chain-host-down: University of Waterloo, CF/HostChaining; E-management-lost: "
     "Mellanox/network-operator issues 1515, 2176 and 2258",
     "Reach the node over another network. `apply` refuses to touch the path without "
     "--allow-mgmt-path."},
};

void check_reached_once(const Context& context, Diagnostics& diagnostics) {
  using Way = std::tuple<std::string_view, std::uint32_t, std::string_view, std::string_view>;
  std::map<Way, const NodeSpec*> reached;
  for (const auto& [name, node] : context.spec().nodes) {
    if (!traits(node.platform.value).is_managed) continue;
    const std::string& address = node.address.value;
    const bool is_number = address.find('.') != std::string::npos &&
                           address.find_first_not_of("0123456789.") == std::string::npos;
    if (is_number && !IpAddress::parse(address))
      diagnostics
          .error(
              "out-of-range", node.address.range, fmt::format("'{}' is no IPv4 address", address))
          .about(name)
          .with_help("write four numbers of 0 to 255, or a host name");
    // Behind a jump host or another port, an equal address is another machine.
    const Way way{address, node.ssh->port.value, node.ssh->jump.value, node.ssh->via.value};
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
        .about(name)
        .with_help("the same machine would be configured twice");
  }
}

// The subnet of the network that holds the node's management address, or null.
const Sourced<Subnet>* holds_management(const NetworkSpec& network, const NodeSpec& node) {
  // Most nodes are reached by their names.
  if (node.address.value.find_first_of(".:") == std::string::npos) return nullptr;
  const Result<IpAddress> address = IpAddress::parse(node.address.value);
  if (!address) return nullptr;
  const IpSpec& ip = address->family() == Family::ipv4 ? network.ipv4 : network.ipv6;
  if (ip.subnet && ip.subnet->value.contains(*address)) return &*ip.subnet;
  const bool of_loopbacks = network.loopback && network.loopback->subnet &&
                            network.loopback->subnet->value.contains(*address);
  return of_loopbacks ? &*network.loopback->subnet : nullptr;
}

void check_management_path(
    const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const NodeSpec* previous = nullptr;
  for (const PortRef& port : context.members(network)) {
    const NodeSpec* node = context.node(port);
    if (node == nullptr || node == previous) continue;
    previous = node;
    const Sourced<Subnet>* subnet = holds_management(network, *node);
    if (subnet == nullptr) continue;
    const bool chain = network.mode.value == Mode::chain;
    Diagnostic found;
    found.severity = chain ? Severity::error : Severity::warning;
    found.rule = "mgmt-path-touched";
    found.range = node->address.range;
    found.subject = node->name;
    found.message = fmt::format(
        "{} is reached at {}, which is in network {}",
        node->name.str(),
        node->address.value,
        network.name);
    found.with_note(subnet->range, "the subnet of network " + network.name)
        .with_help(
            chain ? "every reboot cuts the ring, and with it the session; reach the node over "
                    "another network"
                  : "`apply` does not touch the path of its own session without --allow-mgmt-path");
    diagnostics.add(std::move(found));
  }
}

}  // namespace

RuleRows management_rules() {
  return kManagementRules;
}

void check_management(const Context& context, Diagnostics& diagnostics) {
  check_reached_once(context, diagnostics);
  for (const auto& [name, network] : context.spec().networks) {
    if (network.ipv4.subnet || network.ipv6.subnet) {
      check_management_path(context, network, diagnostics);
    }
  }
}

}  // namespace fabric::rules
