// Mode chain: ConnectX-5 host chaining. The evidence is docs/evidence.md, host chaining.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/model/rules/context.hpp"
#include "engine/model/topology/chain_graph.hpp"

namespace fabric::rules {

namespace {

bool is_chain(const PortUse& use) {
  return use.network->mode.value == Mode::chain;
}

const PortUse* chain_use(const AdapterUse& use) {
  const auto found = std::find_if(
      use.ports.begin(), use.ports.end(), [](const auto& port) { return is_chain(port.second); });
  return found == use.ports.end() ? nullptr : &found->second;
}

void check_adapter(const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  const HardwareModel* model = use.adapter->hardware;
  if (model == nullptr) return;
  const std::string card = fmt::format("adapter {} of {}", use.adapter->name, use.node->name.str());
  if (!model->host_chaining) {
    diagnostics
        .error(
            "chain-adapter-unsupported",
            use.adapter->model.range,
            fmt::format("{} is a {}, which does not forward between its ports", card, model->name))
        .with_note(chained.range, fmt::format("it is in the chain {} here", chained.network->name))
        .with_help(
            "only dual-port cards of the ConnectX-5 family chain, also where others list "
            "HOST_CHAINING_MODE");
  } else if (use.adapter->ports.value < 2) {
    diagnostics
        .error(
            "chain-adapter-unsupported",
            is_known(use.adapter->ports.range) ? use.adapter->ports.range
                                               : use.adapter->model.range,
            fmt::format("{} has one port; a chain goes in at one port and out at the other", card))
        .with_note(chained.range, fmt::format("it is in the chain {} here", chained.network->name))
        .with_help("use a dual-port card");
  }
}

// What stands on the other port: the card treats both as one Ethernet.
void check_other_port(const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  for (const auto& [number, other] : use.ports) {
    if (other.network == chained.network) continue;
    const std::string port =
        fmt::format("port {} of adapter {} of {}", number, use.adapter->name, use.node->name.str());
    if (other.network->mode.value == Mode::infiniband) {
      diagnostics
          .error(
              "chain-needs-ethernet",
              other.range,
              fmt::format(
                  "{} is InfiniBand, but the card is in the chain {}, which needs both ports "
                  "Ethernet",
                  port,
                  chained.network->name))
          .with_note(chained.range, "the other port is chained here")
          .with_help("use a second card, or a switch instead of the chain");
    } else if (other.network->mode.value == Mode::lag) {
      diagnostics
          .error(
              "chain-foreign-mac",
              other.range,
              fmt::format(
                  "{} is slave of a bond, but the card is in the chain {}",
                  port,
                  chained.network->name))
          .with_note(chained.range, "the other port is chained here")
          .with_help(
              "a bond sends with another MAC address than the port's own, and the card drops that");
    }
  }
}

SourceRange mtu_place(const NetworkSpec& network) {
  return is_known(network.mtu.range) ? network.mtu.range : network.range;
}

std::string mtu_text(const NetworkSpec& network) {
  return network.mtu.value == 0 ? "the default" : std::to_string(network.mtu.value);
}

// Networks that meet in a card: a pair of them is reported once, whatever cards they share.
using NetworkPairs = std::set<std::pair<std::string, std::string>>;

void check_mixed_mtu(
    const AdapterUse& use,
    const PortUse& chained,
    NetworkPairs& reported,
    Diagnostics& diagnostics) {
  for (const auto& [number, other] : use.ports) {
    const bool same = other.network->mtu.value == chained.network->mtu.value;
    if (same || !is_ethernet(other.network->mode.value)) continue;
    const bool in_order = chained.network->name < other.network->name;
    const NetworkSpec& first = in_order ? *chained.network : *other.network;
    const NetworkSpec& second = in_order ? *other.network : *chained.network;
    if (!reported.emplace(first.name, second.name).second) continue;
    diagnostics
        .error(
            "chain-mtu-mixed",
            mtu_place(second),
            fmt::format(
                "network {} has MTU {} and network {} MTU {}, but adapter {} of {} forwards "
                "between them",
                second.name,
                mtu_text(second),
                first.name,
                mtu_text(first),
                use.adapter->name,
                use.node->name.str()))
        .with_note(mtu_place(first), "the MTU of network " + first.name)
        .with_help("the two ports of a chained card are one Ethernet; give both networks one MTU");
  }
}

void check_link_type_params(
    const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  for (const auto& [name, value] : use.adapter->firmware.params) {
    if (!name.starts_with("LINK_TYPE_P") || !value.value) continue;
    const auto number = parameter_number(name, *value.value);
    if (!number || *number == 2) continue;
    diagnostics
        .error(
            "chain-needs-ethernet",
            value.range,
            fmt::format(
                "{} is set to {}, but the chain {} needs both ports Ethernet",
                name,
                *value.value,
                chained.network->name))
        .with_note(chained.range, "the card is chained here")
        .with_help("remove the parameter; mode chain sets it to ETH");
  }
}

void check_foreign_mac(const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  if (!use.adapter->sriov || (use.adapter->sriov->vfs == 0 && !use.adapter->sriov->passthrough))
    return;
  diagnostics
      .error(
          "chain-foreign-mac",
          use.adapter->sriov->range,
          fmt::format(
              "adapter {} of {} is in the chain {} and can't have {}",
              use.adapter->name,
              use.node->name.str(),
              chained.network->name,
              use.adapter->sriov->passthrough ? "passthrough" : "virtual functions"))
      .with_note(chained.range, "it is chained here")
      .with_help("chained ports transmit only with their permanent MAC address");
}

void check_declared_firmware(
    const AdapterUse& use, const PortUse& chained, Diagnostics& diagnostics) {
  const std::uint32_t mtu = chained.network->mtu.value;
  if (use.adapter->firmware.version.value != kChainLimitedFirmware || mtu <= kChainLimitedMtu)
    return;
  diagnostics
      .error(
          "chain-mtu-firmware",
          chained.network->mtu.range,
          fmt::format(
              "MTU {} is too large for firmware {}, which passes chained frames up to {}",
              mtu,
              kChainLimitedFirmware,
              kChainLimitedMtu))
      .with_note(
          use.adapter->firmware.version.range,
          fmt::format("the firmware of {}", use.node->name.str()))
      .with_help("set `mtu: 8000`, or ask for newer firmware");
}

void check_platforms(const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  const NodeSpec* previous = nullptr;
  for (const PortRef& port : context.members(network)) {
    const NodeSpec* node = context.node(port);
    if (node == nullptr || node == previous || node->platform.value == Platform::linux) continue;
    previous = node;
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
                "chain {} declares no cables, so nobody can tell whether it is a ring",
                network.name)
          : fmt::format(
                "chain {} is an open path ({}), not a ring", network.name, names(graph, part)));
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

void check_ring(const NetworkSpec& network, Diagnostics& diagnostics) {
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
            "chain {} is {} separate parts: {} | {}{}",
            network.name,
            graph.parts.size(),
            names(graph, graph.parts[0]),
            names(graph, second),
            graph.parts.size() > 2 ? " | ..." : ""));
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
              "ring {} of {} nodes: a frame passes up to {} cards on its way, and each cable "
              "carries the traffic of all paths over it",
              network.name,
              size,
              size - 2))
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
  check_ring(network, diagnostics);
  check_port_order(network, diagnostics);
  if (!network.ipv4.subnet && !network.ipv6.subnet && network.ipv4.addresses.empty() &&
      network.ipv6.addresses.empty()) {
    diagnostics
        .warning(
            "chain-without-addresses",
            network.range,
            fmt::format("chain {} has no addresses", network.name))
        .with_help("add `ipv4: {subnet: ...}`; all ports of a chain are in one subnet");
  }
}

}  // namespace

void check_chain(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [name, network] : context.spec().networks) {
    if (network.mode.value == Mode::chain) check_network(context, network, diagnostics);
  }
  NetworkPairs mixed;
  for (const AdapterUse& use : context.adapters()) {
    const PortUse* chained = chain_use(use);
    if (chained == nullptr) continue;
    check_adapter(use, *chained, diagnostics);
    check_other_port(use, *chained, diagnostics);
    check_mixed_mtu(use, *chained, mixed, diagnostics);
    check_link_type_params(use, *chained, diagnostics);
    check_foreign_mac(use, *chained, diagnostics);
    check_declared_firmware(use, *chained, diagnostics);
  }
}

}  // namespace fabric::rules
