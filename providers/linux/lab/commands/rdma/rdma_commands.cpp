// SPDX-License-Identifier: Apache-2.0
// ibstat rdma lspci

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/rdma/rdma_families.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab::commands {
namespace {

struct RdmaPort {
  std::size_t card = 0;
  std::uint32_t port = 0;    // of the card
  std::uint32_t number = 1;  // as the RDMA device counts
  std::string device;
};

std::vector<RdmaPort> rdma_ports(const LinuxHost& machine) {
  std::vector<RdmaPort> ports;
  for (std::size_t index = 0; index < machine.state.cards.size(); ++index) {
    const Card& card = machine.state.cards[index];
    for (const CardPort& port : card.ports) {
      if (port.number > 1 && roce_bond(machine, index) != nullptr) continue;
      ports.push_back(RdmaPort{
          index,
          port.number,
          card.mlx4() ? port.number : 1,
          rdma_name(machine, index, port.number)});
    }
  }
  return ports;
}

// RoCE ports have the EUI-64 of their MAC here.
std::string shown_guid(const CardPort& port) {
  if (port.link_type == LinkType::infiniband) return fmt::format("0x{:016x}", port.guid);
  const std::uint64_t oui = port.guid >> 40U;
  return fmt::format("0x{:06x}fffe{:06x}", oui ^ 0x020000U, port.guid & 0xFFFFFFU);
}

void ibstat_port(Process& process, const RdmaPort& port) {
  const LinuxHost& machine = process.machine();
  const CardPort& hardware = machine.state.cards[port.card].ports[port.port - 1];
  const PortState state = port_state(machine, process.session.network, port.card, port.port);
  const bool ethernet = hardware.link_type == LinkType::ethernet;
  const PortLids lids = port_lids(machine, process.session.network, port.card, port.port);
  const std::string rate = rate_text(machine, process.session.network, port.card, port.port);
  process.out(fmt::format(
      "\tPort {}:\n\t\tState: {}\n\t\tPhysical state: {}\n\t\tRate: {}\n\t\tBase lid: {}\n\t\tLMC: "
      "0\n\t\tSM lid: {}\n"
      "\t\tCapability mask: {}\n\t\tPort GUID: {}\n\t\tLink layer: {}\n",
      port.number,
      state.logical == 4   ? "Active"
      : state.logical == 2 ? "Initializing"
                           : "Down",
      state.physical_text(),
      rate.substr(0, rate.find(' ')),
      lids.own,
      lids.manager,
      ethernet ? "0x00010000" : "0x2651e848",
      shown_guid(hardware),
      ethernet ? "Ethernet" : "InfiniBand"));
}

}  // namespace

int ibstat(Process& process) {
  const LinuxHost& machine = process.machine();
  const bool guids = process.arguments.size() > 1 && process.arguments[1] == "-p";
  const bool list = process.arguments.size() > 1 && process.arguments[1] == "-l";
  const std::vector<RdmaPort> ports = rdma_ports(machine);
  std::string last;
  for (const RdmaPort& port : ports) {
    if (process.arguments.size() > 2 && process.arguments[2] != port.device) continue;
    const Card& card = machine.state.cards[port.card];
    if (guids) {
      process.out(shown_guid(card.ports[port.port - 1]) + "\n");
      continue;
    }
    if (port.device != last && list) process.out(port.device + "\n");
    if (port.device != last && !list) {
      process.out(fmt::format(
          "CA '{}'\n\tCA type: MT{}\n\tNumber of ports: {}\n\tFirmware version: {}\n\tHardware "
          "version: 0\n"
          "\tNode GUID: 0x{:016x}\n\tSystem image GUID: 0x{:016x}\n",
          port.device,
          card.device_id(),
          card.mlx4() ? card.ports.size() : 1,
          card.firmware,
          card.base_guid + (card.mlx4() ? 0 : port.port - 1),
          card.base_guid));
    }
    last = port.device;
    if (!list) ibstat_port(process, port);
  }
  return 0;
}

namespace {

std::string rdma_dev_item(const Card& card, const RdmaPort& port, std::uint32_t index, bool json) {
  const std::string guid = guid_text(card.base_guid + (card.mlx4() ? 0 : port.port - 1));
  if (json) {
    return fmt::format(
        R"({{"ifindex":{},"ifname":"{}","node_type":"ca","fw":"{}","node_guid":"{}","sys_image_guid":"{}"}})",
        index,
        port.device,
        card.firmware,
        guid,
        guid_text(card.base_guid));
  }
  return fmt::format(
      "{}: {}: node_type ca fw {} node_guid {} sys_image_guid {} ",
      index,
      port.device,
      card.firmware,
      guid,
      guid_text(card.base_guid));
}

std::string_view physical_state_text(const PortState& state) {
  return state.physical == 5 ? "LINK_UP" : state.physical == 3 ? "DISABLED" : "POLLING";
}

std::string rdma_link_json(
    const RdmaPort& port,
    const PortState& state,
    const Interface* interface,
    const std::optional<PortLids>& lids,
    std::uint32_t index) {
  std::string item =
      fmt::format(R"({{"ifindex":{},"ifname":"{}","port":{})", index, port.device, port.number);
  if (lids)
    item += fmt::format(
        R"(,"subnet_prefix":"fe80:0000:0000:0000","lid":{},"sm_lid":{},"lmc":0)",
        lids->own,
        lids->manager);
  item += fmt::format(
      R"(,"state":"{}","physical_state":"{}")", state.logical_text(), physical_state_text(state));
  if (interface != nullptr)
    item += fmt::format(R"(,"netdev":"{}","netdev_index":{})", interface->name, interface->index);
  return item + "}";
}

std::string rdma_link_text(
    const RdmaPort& port,
    const PortState& state,
    const Interface* interface,
    const std::optional<PortLids>& lids) {
  const std::string numbers = lids
                                  ? fmt::format(
                                        "subnet_prefix fe80:0000:0000:0000 lid {} sm_lid {} lmc 0 ",
                                        lids->own,
                                        lids->manager)
                                  : "";
  return fmt::format(
      "link {}/{} {}state {} physical_state {} {}",
      port.device,
      port.number,
      numbers,
      state.logical_text(),
      physical_state_text(state),
      interface == nullptr ? "" : "netdev " + interface->name + " ");
}

std::string rdma_link_item(Process& process, const RdmaPort& port, std::uint32_t index, bool json) {
  LinuxHost& machine = process.machine();
  const CardPort& hardware = machine.state.cards[port.card].ports[port.port - 1];
  const bool infiniband = hardware.link_type == LinkType::infiniband;
  const PortState state = port_state(machine, process.session.network, port.card, port.port);
  std::optional<PortLids> lids;
  if (infiniband) lids = port_lids(machine, process.session.network, port.card, port.port);
  const Interface* bond = roce_bond(machine, port.card);
  const Interface* interface =
      bond == nullptr ? machine.interface_of_port(port.card, port.port) : bond;
  return json ? rdma_link_json(port, state, interface, lids, index)
              : rdma_link_text(port, state, interface, lids);
}

}  // namespace

int rdma(Process& process) {
  std::vector<std::string> words;
  bool json = false;
  for (std::size_t i = 1; i < process.arguments.size(); ++i) {
    if (process.arguments[i][0] != '-') words.push_back(process.arguments[i]);
    json = json || process.arguments[i] == "-j";
  }
  if (words.empty() || (words[0] != "link" && words[0] != "dev"))
    return process.fail(22, "Unknown object");
  const bool devices = words[0] == "dev";
  std::vector<std::string> lines;
  std::uint32_t index = 0;  // of the device: its ports have the same
  std::string last;
  for (const RdmaPort& port : rdma_ports(process.machine())) {
    const bool fresh = port.device != last;
    if (fresh && !last.empty()) ++index;
    last = port.device;
    if (!devices) lines.push_back(rdma_link_item(process, port, index, json));
    if (devices && fresh)
      lines.push_back(rdma_dev_item(process.machine().state.cards[port.card], port, index, json));
  }
  process.out(
      json ? "[" + join(lines, ",") + "]\n" : join(lines, "\n") + (lines.empty() ? "" : "\n"));
  return 0;
}

namespace {

std::string product_name(const Card& card) {
  const std::string family = card.hardware.name.substr(0, card.hardware.name.find(' '));
  return card.mlx4() ? fmt::format("MT27500 Family [{}]", family)
                     : fmt::format("MT27800 Family [{}]", family);
}

void print_device(
    Process& process, const Card& card, std::uint32_t port, bool verbose, bool numbers) {
  const bool infiniband = card.ports[port - 1].link_type == LinkType::infiniband &&
                          card.current_of("FORCE_ETH_PCI_SUBCLASS") == 0;
  const std::string kind = infiniband ? "Infiniband controller" : "Ethernet controller";
  const std::string type =
      numbers ? fmt::format("{} [{}]", kind, infiniband ? "0207" : "0200") : kind;
  const std::string ids = numbers ? fmt::format(" [15b3:{:04x}]", card.device_id()) : "";
  process.out(fmt::format(
      "{} {}: Mellanox Technologies {}{}\n",
      card.function_of(port),
      type,
      product_name(card),
      ids));
  if (!verbose) return;
  const std::string_view speed = card.hardware.pcie_generation >= 5   ? "32GT/s"
                                 : card.hardware.pcie_generation == 4 ? "16GT/s"
                                                                      : "8GT/s";
  if (!process.root()) {
    process.out("\tCapabilities: <access denied>\n");
  } else {
    process.out(fmt::format(
        "\t\tLnkCap:\tPort #0, Speed {0}, Width x{1}, ASPM not supported\n\t\tLnkSta:\tSpeed {0}, "
        "Width x{1}\n",
        speed,
        card.hardware.pcie_width));
  }
  process.out(
      fmt::format("\tKernel driver in use: {0}\n\tKernel modules: {0}\n\n", card.hardware.driver));
}

struct DeviceChoice {
  std::string flags;   // "-nnD-v": all option words in a row
  std::string vendor;  // "15b3:" or "15b3:1017"; empty: any
  std::string slot;    // "0000:81:00.0", "81:00.0" or "0000:81:00"; empty: any

  bool flag(char letter) const { return flags.find(letter) != std::string::npos; }
  bool all() const { return vendor.empty() && slot.empty(); }
  bool includes(const Card& card, std::uint32_t port) const {
    if (!vendor.empty() && !vendor.starts_with("15b3")) return false;
    const std::string device = fmt::format("{:04x}", card.device_id());
    if (vendor.size() > 5 && vendor.substr(5) != device) return false;
    const std::string function = card.function_of(port);
    return slot.empty() || function == slot || function.substr(5) == slot || card.pci == slot;
  }
};

DeviceChoice device_choice(const std::vector<std::string>& arguments) {
  DeviceChoice choice;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool more = i + 1 < arguments.size();
    if (word == "-d" && more) {
      choice.vendor = arguments[++i];
    } else if (word == "-s" && more) {
      choice.slot = arguments[++i];
    } else {
      choice.flags += word;
    }
  }
  return choice;
}

}  // namespace

int lspci(Process& process) {
  const DeviceChoice choice = device_choice(process.arguments);
  if (choice.all()) {
    process.out(fmt::format(
        "{}00:1f.6 Ethernet controller{}: Intel Corporation Ethernet Connection (7) I219-LM\n",
        choice.flag('D') ? "0000:" : "",
        choice.flag('n') ? " [0200]" : ""));
  }
  for (const Card& card : process.machine().state.cards) {
    for (const CardPort& port : card.ports) {
      if (card.mlx4() && port.number > 1) continue;
      if (choice.includes(card, port.number))
        print_device(process, card, port.number, choice.flag('v'), choice.flag('n'));
    }
  }
  return 0;
}

}  // namespace fabric::lab::commands
