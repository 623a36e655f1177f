// SPDX-License-Identifier: Apache-2.0
// ibnetdiscover opensm saquery sminfo
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/rdma/opensm_defaults.hpp"
#include "providers/linux/lab/commands/rdma/rdma_families.hpp"
#include "providers/linux/lab/commands/rdma/umad_port.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab::commands {

namespace {

std::optional<std::uint64_t> lid_of(const std::string& text) {
  if (text.starts_with("0x")) return parse_unsigned(text.substr(2), 16);
  return parse_unsigned(text, 10);
}

// Waits for each try in vain.
int no_answer(Process& process, const Options& options, std::uint64_t lid) {
  constexpr std::int64_t kTries = 3;
  constexpr std::int64_t kTimeout = 1000;
  const std::int64_t timeout = parse_integer(options.value("t")).value_or(kTimeout);
  process.session.pass(Duration{kTries * std::clamp<std::int64_t>(timeout, 1, 60'000)});
  process.err(fmt::format(
      "ibwarn: [{}] mad_rpc: _do_madrpc failed; dport (Lid {})\n",
      process.session.process_number(),
      lid));
  process.err("sminfo: iberror: failed: query\n");
  return 255;
}

}  // namespace

std::optional<UsedPort> chosen_port(
    const LinuxHost& machine, const Network& network, const Options& options) {
  const std::string device = options.value("C");
  const std::string wanted = options.value("P");
  std::optional<UsedPort> first;
  for (std::size_t index = 0; index < machine.state.cards.size(); ++index) {
    const Card& card = machine.state.cards[index];
    for (const CardPort& port : card.ports) {
      const std::uint32_t number = card.mlx4() ? port.number : 1;
      if (!device.empty() && rdma_name(machine, index, port.number) != device) continue;
      if (!wanted.empty() && wanted != "0" && wanted != std::to_string(number)) continue;
      const bool active = port.link_type == LinkType::infiniband &&
                          port_state(machine, network, index, port.number).logical == 4;
      if (active) return UsedPort{index, port.number};
      if (!first) first = UsedPort{index, port.number};
    }
  }
  return first;
}

void no_umad_port(Process& process, const Options& options, std::string_view tool) {
  const std::string device = options.value("C", "(null)");
  const std::string number = options.value("P", "0");
  process.err(fmt::format(
      "ibwarn: [{}] mad_rpc_open_port: can't open UMAD port ({}:{})\n"
      "{}: iberror: failed: Failed to open '{}' port '{}'\n",
      process.session.process_number(),
      device,
      number,
      tool,
      device,
      number));
}

int sminfo(Process& process) {
  const std::optional<Options> options = parse_options(
      process, {.flags = "dev", .valued = "CPt", .long_valued = {"Ca", "Port", "timeout"}});
  if (!options) return 255;
  const LinuxHost& machine = process.machine();
  const Network& network = process.session.network;
  const std::optional<UsedPort> port = chosen_port(machine, network, *options);
  if (!port || !process.root()) {
    no_umad_port(process, *options, "sminfo");
    return 255;
  }
  const std::optional<SubnetView> subnet = network.subnet(machine, port->card, port->port);
  std::uint64_t lid = subnet && !subnet->managers.empty() ? subnet->managers.front().lid : 0;
  if (!options->operands.empty()) {
    const std::optional<std::uint64_t> given = lid_of(options->operands.front());
    if (!given || *given == 0 || *given > 0xffff) {
      process.err(fmt::format(
          "sminfo: iberror: failed: can't resolve destination port {}\n",
          options->operands.front()));
      return 255;
    }
    lid = *given;
  }
  if (!subnet) return no_answer(process, *options, lid);
  const auto found = std::ranges::find_if(
      subnet->managers, [&](const auto& manager) { return manager.lid == lid; });
  if (found == subnet->managers.end()) return no_answer(process, *options, lid);
  const bool master = found == subnet->managers.begin();
  process.out(fmt::format(
      "sminfo: sm lid {} sm guid 0x{:x}, activity count {} priority {} state {} SMINFO_{}\n",
      found->lid,
      found->guid,
      machine.unix_milliseconds() / 10'000 % 100'000,
      found->priority,
      master ? 3 : 2,
      master ? "MASTER" : "STANDBY"));
  return 0;
}

void print_managers(Process& process, const SubnetView& subnet) {
  std::uint32_t state = 3;
  for (const auto& manager : subnet.managers) {
    process.out(fmt::format(
        "SMInfoRecord dump:\n\t\tRID\n\t\tLID...................{}\n\t\tSMInfo dump:\n"
        "\t\tGUID..................0x{:016x}\n\t\tSM_Key................0x0000000000000000\n"
        "\t\tActCount..............1\n\t\tPriority..............{}\n"
        "\t\tSMState...............{}\n",
        manager.lid,
        manager.guid,
        manager.priority,
        std::exchange(state, 2)));
  }
}

// SMIR and MCMR alone, the latter of the partitions that the port is in: of others no lab's host
// asks.
int saquery(Process& process) {
  constexpr int kTimedOut = 110;
  const std::optional<Options> options = parse_options(
      process, {.flags = "d", .valued = "CPt", .long_valued = {"Ca", "Port", "timeout"}});
  if (!options) return 255;
  const bool managers = options->operands == std::vector<std::string>{"SMIR"};
  if (!managers && options->operands != std::vector<std::string>{"MCMR"}) {
    process.err("Usage: saquery [options] [query-name] [<name> | <lid> | <guid>]\n");
    return 255;
  }
  const LinuxHost& machine = process.machine();
  const std::optional<UsedPort> port = chosen_port(machine, process.session.network, *options);
  if (!port || !process.root()) {
    no_umad_port(process, *options, "saquery");
    return 255;
  }
  const auto subnet = process.session.network.subnet(machine, port->card, port->port);
  if (!subnet || subnet->managers.empty()) {
    process.err("saquery: Query SA failed: Connection timed out\n");
    return kTimedOut;
  }
  if (managers) {
    print_managers(process, *subnet);
    return 0;
  }
  const auto row = [&process](std::string_view key, const std::string& value) {
    process.out(fmt::format("\t\t{:.<24}{}\n", key, value));
  };
  for (const auto& [pkey, mtu] : subnet->groups) {
    std::uint32_t code = 1;
    while (code < 5 && (128U << code) < mtu)
      ++code;
    process.out("MCMember Record dump:\n");
    row("MGID", fmt::format("ff12:401b:{:x}::ffff:ffff", pkey | 0x8000U));
    row("PortGid", "::");
    row("qkey", "0xb1b");
    row("mlid", fmt::format("0x{:x}", 0xc000U + (pkey & 0x3ffU)));
    row("mtu", fmt::format("0x{:x}", 0x80U | code));
    row("TClass", "0x0");
    row("pkey", fmt::format("0x{:x}", pkey | 0x8000U));
    row("rate", "0x83");
    row("pkt_life", "0x92");
    row("SL", "0x0");
    row("FlowLabel", "0x0");
    row("HopLimit", "0x0");
    row("Scope", "0x2");
    row("JoinState", "0x0");
    row("ProxyJoin", "0x0");
  }
  return 0;
}

// The defaults, changed by an options file as OpenSM reads it before it writes.
std::string with_options(std::string_view defaults, const std::string& file) {
  std::string text;
  for (const std::string_view line : split_lines(defaults)) {
    const std::string_view key = line.substr(0, line.find(' '));
    std::string_view value = line.substr(key.size() + 1);
    for (const std::string_view said : split_lines(file)) {
      if (said.starts_with(key) && said.substr(key.size()).starts_with(' '))
        value = trim(said.substr(key.size()));
    }
    text += fmt::format("{} {}\n", key, value);
  }
  return text;
}

// `opensm [-F OPTIONS] -c FILE`
int write_template(Process& process, const std::string& options, const std::string& file) {
  constexpr std::string_view kRule = "-------------------------------------------------\n";
  process.out(fmt::format(
      "Command Line Arguments:\n Creating config file template '{}'.\n Log File: "
      "/var/log/opensm.log\n{}",
      file,
      kRule));
  std::string defaults{kOpensmDefaults};
  // Only the OpenSM of MLNX_OFED has the option (E-opensm-virtualization).
  if (!process.machine().profile.ofed.empty()) defaults += "virt_enabled 0\n";
  std::string said;
  process.machine().state.files.read(options, "root", said);
  const std::string text = with_options(defaults, said);
  if (file == "/dev/stdout") {
    process.out(text);
  } else {
    process.machine().state.files.install(file, text);
  }
  return 0;
}

// In the foreground until it is ended; as a service it is host/subnet_manager.cpp.
int opensm(Process& process) {
  constexpr Duration kLong{3600 * 1000};
  const bool version = std::ranges::any_of(
      process.arguments, [](const std::string& argument) { return argument == "--version"; });
  process.out("-------------------------------------------------\nOpenSM 3.3.23\n");
  const std::vector<std::string>& arguments = process.arguments;
  const auto behind = [&](std::string_view name, std::string_view long_name) {
    const auto found = std::ranges::find_if(
        arguments, [&](const auto& word) { return word == name || word == long_name; });
    return found == arguments.end() || found + 1 == arguments.end() ? std::string{} : *(found + 1);
  };
  const std::string file = behind("-c", "--create-config");
  std::string options = behind("-F", "--config");
  if (options.empty()) options = "/etc/opensm/opensm.conf";
  if (!file.empty()) return write_template(process, options, file);
  if (!version) process.session.pass(kLong);
  return 0;
}

// ibnetdiscover, as infiniband-diags 44 prints its topology file.

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
