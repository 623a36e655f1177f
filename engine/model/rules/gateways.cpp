// SPDX-License-Identifier: Apache-2.0
// Default routes: a node has one.
#include <map>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kGatewayRules[] = {
    {"default-route-twice",
     Severity::warning,
     RuleStage::document,
     "A node uses one default route. Of two, the kernel takes one by metric or by order, and "
     "the next boot can change which. ifupdown does not bring up the second interface.",
     "E-linux-default-routes: measured on Debian 12",
     "Keep one `gateway` of a node, and name in `routes` the networks that are reached over the "
     "others."},
};

struct DefaultRoute {
  PortRef port;
  Sourced<std::string> gateway;
};

// The first of each node, by family.
using DefaultRoutes = std::map<NodeName, DefaultRoute>;

// Only the first of a node's ports in one network gets the routes (expansion).
void claim(DefaultRoutes& ipv4, DefaultRoutes& ipv6, const IpSpec& ip, Diagnostics& diagnostics) {
  if (ip.gateway.value.empty()) return;
  const bool is_ipv6 = ip.gateway.value.find(':') != std::string::npos;
  DefaultRoutes& routes = is_ipv6 ? ipv6 : ipv4;
  const NodeName* before = nullptr;
  for (const auto& [port, addresses] : ip.addresses) {
    if (before != nullptr && *before == port.node) continue;
    before = &port.node;
    const auto [first, is_first] = routes.try_emplace(port.node, DefaultRoute{port, ip.gateway});
    if (is_first) continue;
    const DefaultRoute& other = first->second;
    // The later in the document is the one to question.
    const bool in_order = other.gateway.range < ip.gateway.range;
    const SourceRange& earlier = in_order ? other.gateway.range : ip.gateway.range;
    diagnostics
        .warning(
            "default-route-twice",
            in_order ? ip.gateway.range : other.gateway.range,
            fmt::format(
                "{} gets two default routes, over {} and over {}",
                port.node.str(),
                other.port.str(),
                port.str()))
        .about(port.node)
        .with_note(earlier, "the other gateway")
        .with_help("name the networks that are reached over it: `routes` in place of `gateway`");
  }
}

}  // namespace

RuleRows gateway_rules() {
  return kGatewayRules;
}

void check_gateways(const Context& context, Diagnostics& diagnostics) {
  DefaultRoutes ipv4;
  DefaultRoutes ipv6;
  for (const auto& [name, network] : context.spec().networks) {
    claim(ipv4, ipv6, network.ipv4, diagnostics);
    claim(ipv4, ipv6, network.ipv6, diagnostics);
    for (const VlanSpec& vlan : network.vlans)
      claim(ipv4, ipv6, vlan.ipv4, diagnostics);
    if (network.ipoib) claim(ipv4, ipv6, network.ipoib->ipv4, diagnostics);
  }
}

}  // namespace fabric::rules
