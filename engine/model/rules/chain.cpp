// SPDX-License-Identifier: Apache-2.0
// Mode chain, the network: one ring of direct cables, no subnet manager, addresses.
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"
#include "engine/model/topology/chain_graph.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kChainRules[] = {
    {"chain-platform-unsupported",
     Severity::error,
     RuleStage::document,
     "Host chaining is not generally available for ESXi, and a chain has no switch in it.",
     "E-chain-esxi: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 VPI'",
     "On ESXi turn chaining off and put both ports on a bridge with STP: a user measured nearly "
     "line speed."},
    {"chain-not-a-ring",
     Severity::error,
     RuleStage::document,
     "A frame leaves by the other port of each card it passes, so the cards must form one ring "
     "through both their ports. A branch or a second ring is never reached; an open path works "
     "until one cable or node fails.",
     "E-chain-ring: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 "
     "VPI'; University of Waterloo, CF/HostChaining",
     "Cable port 1 of each node to port 2 of the next and the last to the first: `ring: [a, b, "
     "c]`."},
    {"chain-port-order",
     Severity::warning,
     RuleStage::document,
     "The reported working rings join port 1 to port 2 of the next node. Other orders forward "
     "too, but they make cables hard to find.",
     "E-chain-ring: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 "
     "VPI'; University of Waterloo, CF/HostChaining",
     "Swap the ports at one end, or use `ring`."},
    {"chain-hops",
     Severity::info,
     RuleStage::document,
     "Every card on the way forwards the frames of others. The bandwidth of a link is shared "
     "and falls with each hop.",
     "E-chain-bandwidth: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 "
     "VPI'",
     "Nothing to do. Remember the shared links when you place services."},
    {"chain-subnet-manager",
     Severity::error,
     RuleStage::document,
     "A chain is Ethernet and has no subnet; a manager would find no InfiniBand port and exit.",
     "E-chain-ethernet: NVIDIA developer forum, 'How to configure host chaining for ConnectX-5 "
     "VPI'",
     "Remove the key."},
    {"chain-without-addresses",
     Severity::warning,
     RuleStage::document,
     "Without addresses in one subnet nothing uses the ring and `verify` can't send through it.",
     "E-chain-one-subnet: NVIDIA developer forum, 'How to configure host chaining for "
     "ConnectX-5 VPI'",
     "Add `ipv4: {subnet: ...}`."},
};

void check_platforms(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const NodeSpec* previous = nullptr;
  for (const PortRef& port : context.members(network)) {
    const NodeSpec* node = context.node(port);
    if (node == nullptr || node == previous || traits(node->platform.value).linux_host) continue;
    previous = node;
    const About about{diagnostics, node->name};
    const bool of_switch = is_switch(node->platform.value);
    diagnostics
        .error(
            "chain-platform-unsupported",
            context.use(network, port).range,
            of_switch
                ? fmt::format("{} is a switch; a chain joins hosts directly", node->name.str())
                : fmt::format(
                      "host chaining does not work on {} ({})",
                      node->name.str(),
                      to_string(node->platform.value)))
        .with_note(
            is_known(node->platform.range) ? node->platform.range : node->range,
            "the platform is given here")
        .with_help(
            of_switch ? "use mode ethernet with a switch"
                      : "on ESXi leave chaining off and put both ports on a virtual switch or "
                        "bridge with STP, as mode ethernet");
  }
}

std::string names(const ChainGraph& graph, const ChainPart& part) {
  std::string text;
  for (const std::size_t station : part.stations) {
    if (!text.empty()) text += ", ";
    text += graph.stations[station].node.str();
  }
  return text;
}

void report_path(
    const NetworkSpec& network,
    const ChainGraph& graph,
    const ChainPart& part,
    Diagnostics& diagnostics) {
  const bool uncabled = network.cables.empty();
  Diagnostic& found = diagnostics.warning(
      "chain-not-a-ring",
      network.range,
      uncabled
          ? fmt::format(
                "chain {} declares no cables, so it is not known whether it is a ring",
                network.name)
          : fmt::format(
                "chain {} is an open path ({}), not a ring", network.name, names(graph, part)));
  found.because_of(network.unread_end);
  if (uncabled) {
    found.with_help("declare them: `cables: [{ring: [...]}]`");
    return;
  }
  const ChainStation& first = graph.stations[part.stations.front()];
  const ChainStation& last = graph.stations[part.stations.back()];
  found.with_help(fmt::format(
      "any cut or node that is down splits it in two; cable {} to {} to close it",
      last.node.str(),
      first.node.str()));
}

void check_ring(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const std::vector<PortRef>& members = context.members(network);
  const bool has_switch = std::any_of(
      members.begin(), members.end(), [](const PortRef& port) { return port.adapter.empty(); });
  if (has_switch) return;  // chain-platform-unsupported
  const ChainGraph graph = chain_graph(network);
  for (const ChainPart& part : graph.parts) {
    if (!part.branched) continue;
    const auto branch =
        std::find_if(part.stations.begin(), part.stations.end(), [&](std::size_t station) {
          return graph.stations[station].links.size() > 2;
        });
    const ChainStation& station = graph.stations[*branch];
    Diagnostic& found = diagnostics.error(
        "chain-not-a-ring",
        station.links.back().cable->range,
        fmt::format(
            "chain {} branches at {}: {} cables end in its adapter {}",
            network.name,
            station.node.str(),
            station.links.size(),
            station.adapter));
    found.with_note(station.links.front().cable->range, "the first of them")
        .with_help("a ring goes in at one port of each card and out at the other");
    return;
  }
  if (graph.parts.size() > 1 && !network.cables.empty()) {
    const ChainPart& second = graph.parts[1];
    Diagnostic& found = diagnostics.error(
        "chain-not-a-ring",
        network.range,
        fmt::format(
            "chain {} consists of {} separate parts: {} | {}{}",
            network.name,
            graph.parts.size(),
            names(graph, graph.parts[0]),
            names(graph, second),
            graph.parts.size() > 2 ? " | ..." : ""));
    found.because_of(network.unread_end);
    const auto& links = graph.stations[second.stations.front()].links;
    if (!links.empty()) found.with_note(links.front().cable->range, "the second part begins here");
    found.with_help(
        "join them to one ring, or make them networks of their own with their own subnets");
    return;
  }
  if (graph.parts.empty()) return;
  const ChainPart& part = graph.parts.front();
  if (!part.closed) {
    report_path(network, graph, part, diagnostics);
    return;
  }
  const std::size_t size = part.stations.size();
  if (size < 3) return;
  diagnostics
      .info(
          "chain-hops",
          network.range,
          fmt::format(
              "ring {} of {} nodes: a frame passes up to {} card{} on its way, and each cable "
              "carries the traffic of all paths over it",
              network.name,
              size,
              size - 2,
              size == 3 ? "" : "s"))
      .with_help("full bandwidth is between direct neighbours only");
}

void check_port_order(const NetworkSpec& network, Diagnostics& diagnostics) {
  for (const CableSpec& cable : network.cables) {
    if (cable.a.value.adapter.empty() || cable.b.value.adapter.empty() ||
        cable.a.value == cable.b.value)
      continue;
    if (cable.a.value.number() != cable.b.value.number()) continue;
    diagnostics
        .warning(
            "chain-port-order",
            cable.b.range,
            fmt::format(
                "cable {} joins port {} to port {}",
                describe(cable),
                cable.a.value.number(),
                cable.b.value.number()))
        .about(cable.b.value.subject())
        .with_note(cable.a.range, "the other end")
        .with_help("join port 1 of each node to port 2 of the next; `ring` writes it so");
  }
}

void check_network(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  for (const std::string_view key : {"subnet_managers", "subnet_manager"}) {
    const auto found = network.keys.find(std::string{key});
    if (found == network.keys.end()) continue;
    diagnostics
        .error(
            "chain-subnet-manager",
            found->second,
            fmt::format("chain {} has no subnet manager: host chaining is Ethernet", network.name))
        .with_note(network.mode.range, "the mode is given here")
        .with_help("remove the key");
  }
  check_platforms(context, network, diagnostics);
  check_ring(context, network, diagnostics);
  check_port_order(network, diagnostics);
  // A section that is there but could not be read has its own finding.
  const auto says_nothing = [](const IpSpec& ip) {
    return !ip.subnet && ip.addresses.empty() && !is_known(ip.range);
  };
  if (says_nothing(network.ipv4) && says_nothing(network.ipv6)) {
    diagnostics
        .warning(
            "chain-without-addresses",
            network.range,
            fmt::format("chain {} has no addresses", network.name))
        .with_help("add `ipv4: {subnet: ...}`; all ports of a chain are in one subnet");
  }
}

}  // namespace

RuleRows chain_rules() {
  return kChainRules;
}

void check_chain(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, network] : context.spec().networks) {
    const About about{diagnostics, name};
    if (network.mode.value == Mode::chain) check_network(context, network, diagnostics);
  }
}

}  // namespace fabric::rules
