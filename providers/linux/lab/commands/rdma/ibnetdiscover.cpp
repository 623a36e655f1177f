// SPDX-License-Identifier: Apache-2.0
// ibnetdiscover, as infiniband-diags 44 prints its topology file.
#include <fmt/format.h>

#include "providers/linux/lab/commands/rdma/rdma_families.hpp"
#include "providers/linux/lab/commands/rdma/umad_port.hpp"

namespace fabric::lab::commands {
namespace {

constexpr std::uint32_t kVendor = 0x2c9;

std::string_view speed_of(std::uint32_t gbps) {
  switch (gbps) {
    case 10:
      return "4xSDR";
    case 20:
      return "4xDDR";
    case 40:
      return "4xQDR";
    case 56:
      return "4xFDR";
    case 200:
      return "4xHDR";
    case 400:
      return "4xNDR";
    default:
      return "4xEDR";
  }
}

std::string id_of(const SweptNode& node) {
  return fmt::format("\"{}-{:016x}\"", node.is_switch ? 'S' : 'H', node.guid);
}

std::string heading(const SweptNode& node) {
  const std::string ids = fmt::format(
      "\nvendid=0x{:x}\ndevid=0x{:x}\nsysimgguid=0x{:x}\n",
      kVendor,
      node.device_id,
      node.system_image);
  if (!node.is_switch) {
    return ids + fmt::format(
                     "caguid=0x{:x}\nCa\t{} {}\t\t# \"{}\"\n",
                     node.guid,
                     node.port_count,
                     id_of(node),
                     node.description);
  }
  return ids + fmt::format(
                   "switchguid=0x{:x}({:x})\nSwitch\t{} {}\t\t# \"{}\" base port 0 lid {} lmc 0\n",
                   node.guid,
                   node.guid,
                   node.port_count,
                   id_of(node),
                   node.description,
                   node.lid);
}

const SweptPort* port_of(const SweptNode& node, std::uint32_t number) {
  for (const SweptPort& port : node.ports) {
    if (port.number == number) return &port;
  }
  return nullptr;
}

std::string line(
    const std::vector<SweptNode>& nodes, const SweptNode& node, const SweptPort& port) {
  const SweptNode& peer = nodes[port.peer_node];
  const SweptPort* there = port_of(peer, port.peer_port);
  const std::uint32_t lid = peer.is_switch ? peer.lid : there != nullptr ? there->lid : 0;
  const std::string far = fmt::format("{}[{}]", id_of(peer), port.peer_port);
  const std::string far_guid =
      peer.is_switch || there == nullptr ? "" : fmt::format("({:x})", there->guid);
  if (node.is_switch) {
    return fmt::format(
        "[{}]\t{}{}{}\t\t# \"{}\" lid {} {}\n",
        port.number,
        far,
        far_guid,
        far_guid.empty() ? "" : " ",
        peer.description,
        lid,
        speed_of(port.gbps));
  }
  return fmt::format(
      "[{}]({:x}) \t{}{}{}\t\t# lid {} lmc 0 \"{}\" lid {} {}\n",
      port.number,
      port.guid,
      far,
      far_guid.empty() ? "" : " ",
      far_guid,
      port.lid,
      peer.description,
      lid,
      speed_of(port.gbps));
}

}  // namespace

int ibnetdiscover(Process& process) {
  const std::optional<Options> options = parse_options(
      process, {.flags = "devlSHRf", .valued = "CPt", .long_valued = {"Ca", "Port", "timeout"}});
  if (!options) return 255;
  const LinuxHost& machine = process.machine();
  const Network& network = process.session.network;
  const std::optional<UsedPort> port = chosen_port(machine, network, *options);
  if (!port || !process.root()) {
    no_umad_port(process, *options, "ibnetdiscover");
    return 255;
  }
  const std::vector<SweptNode> nodes = network.sweep(machine, port->card, port->port);
  if (nodes.empty()) {
    process.err("ibnetdiscover: iberror: failed: discover failed\n");
    return 255;
  }
  process.out(fmt::format(
      "#\n# Topology file: generated on {}\n#\n# Initiated from node {:016x} port {:016x}\n",
      "Mon Nov 16 10:00:00 2026",
      nodes.front().guid,
      machine.state.cards[port->card].ports[port->port - 1].guid));
  for (const bool switches : {true, false}) {
    for (const SweptNode& node : nodes) {
      if (node.is_switch != switches || node.ports.empty()) continue;
      process.out(heading(node));
      for (const SweptPort& each : node.ports)
        process.out(line(nodes, node, each));
    }
  }
  return 0;
}

}  // namespace fabric::lab::commands
