// SPDX-License-Identifier: Apache-2.0
// mst mstfwreset mlxlink
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/rdma/mst_device.hpp"
#include "providers/linux/lab/commands/rdma/rdma_families.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/ports.hpp"
#include "providers/linux/lab/network/networkd.hpp"

namespace fabric::lab::commands {

namespace {

constexpr int kFailed = 1;

struct DeviceLine {
  std::string device;
  std::vector<std::string> words;
  bool yes = false;
  std::string level;
};

DeviceLine parse_device_line(const Process& process) {
  DeviceLine line;
  const std::vector<std::string>& words = process.arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    if ((words[i] == "-d" || words[i] == "--device") && more) {
      line.device = words[++i];
    } else if ((words[i] == "-l" || words[i] == "--level") && more) {
      line.level = words[++i];
    } else if (words[i].rfind("-l", 0) == 0 && words[i].size() == 3) {
      line.level = words[i].substr(2);
    } else if (words[i] == "-y" || words[i] == "--yes") {
      line.yes = true;
    } else if (words[i][0] != '-') {
      line.words.push_back(words[i]);
    }
  }
  return line;
}

}  // namespace

int mstfwreset(Process& process) {
  const DeviceLine line = parse_device_line(process);
  LinuxHost& machine = process.machine();
  const std::optional<MstDevice> device = find_device(machine, line.device);
  if (!device || !process.root()) {
    process.out(fmt::format("-E- Device {} does not exist\n", line.device));
    return kFailed;
  }
  Card& card = machine.state.cards[device->card];
  if (card.mlx4()) {
    process.out(
        fmt::format("-E- Unsupported Device: {} ({}).\n", line.device, card.hardware.tool_name));
    return kFailed;
  }
  if (line.words.empty() || line.words[0] == "q" || line.words[0] == "query") {
    process.out(
        "Reset-levels:\n"
        "0: Driver, PCI link, network link will remain up (\"live-Patch\")  -Not Supported\n"
        "1: Only ARM side will not remain up (\"Immediate reset\").         -Not Supported\n"
        "3: Driver restart and PCI reset                                  -Supported     "
        "(default)\n"
        "4: Warm Reboot                                                   -Supported\n");
    return 0;
  }
  process.out(fmt::format(
      "\nMinimal reset level for device, {}:\n\n3: Driver restart and PCI reset\nContinue with "
      "reset?[y/N] ",
      line.device));
  if (!line.yes) {
    process.out("\nAborted by user.\n");
    return kFailed;
  }
  process.out("y\n");
  process.session.pass(Duration{6000});
  if (process.session.stopped()) return kFailed;
  reset_firmware(card);
  machine.note_change();
  make_card_interfaces(machine, device->card);
  show_interfaces(machine, process.session.network);
  if (machine.state.services["systemd-networkd"].active) {
    for (const CardPort& port : machine.state.cards[device->card].ports) {
      const Interface* interface = machine.interface_of_port(device->card, port.number);
      if (interface != nullptr)
        networkd_configure(machine, process.session.network, interface->index);
    }
  }
  process.out(
      "-I- Sending Reset Command To Fw             -Done\n-I- Stopping Driver                      "
      "   -Done\n"
      "-I- Resetting PCI                           -Done\n-I- Starting Driver                      "
      "   -Done\n"
      "-I- Restarting MST                          -Skipped\n-I- FW was loaded successfully.\n");
  return 0;
}

int mst(Process& process) {
  LinuxHost& machine = process.machine();
  const std::string verb = process.arguments.size() > 1 ? process.arguments[1] : "status";
  const bool verbose = process.arguments.size() > 2 && process.arguments[2] == "-v";
  if (!process.root()) {
    process.err("-E- You must be root to use mst tool\n");
    return kFailed;
  }
  if (verb == "start" || verb == "stop") {
    if (verb == "start") {
      process.out(
          "Starting MST (Mellanox Software Tools) driver set\nLoading MST PCI module - Success\n"
          "Loading MST PCI configuration module - Success\nCreate devices\n");
    }
    machine.state.mst_started = verb == "start";
    return 0;
  }
  if (verb == "version") {
    process.out(
        fmt::format("mst, mft {}.0-1, built on Apr 18 2024\n", machine.profile.tool_version));
    return 0;
  }
  const bool loaded = machine.state.mst_started;
  process.out(fmt::format(
      "MST modules:\n------------\n    MST PCI module is not loaded\n    MST PCI configuration "
      "module {}loaded\n",
      loaded ? "" : "is not "));
  if (!loaded) {
    process.out(
        "\nMST devices:\n------------\n\tNo MST devices were found nor MST modules were "
        "loaded.\n\tYou may need to run 'mst start' to load MST modules.\n\n");
    return 0;
  }
  process.out(
      verbose ? "PCI devices:\n------------\nDEVICE_TYPE             MST                           "
                "PCI       RDMA            NET                       NUMA\n"
              : "\nMST devices:\n------------\n");
  for (std::size_t index = 0; index < machine.state.cards.size(); ++index) {
    const Card& card = machine.state.cards[index];
    for (std::size_t port = card.mlx4() ? 1 : card.ports.size(); port >= 1; --port) {
      const auto number = static_cast<std::uint32_t>(port);
      const Interface* interface = machine.interface_of_port(index, number);
      const std::string net = interface == nullptr ? "" : "net-" + interface->name;
      if (verbose) {
        process.out(fmt::format(
            "{:<24}{:<30}{:<10}{:<16}{:<26}{}\n\n",
            card.hardware.tool_name + "(rev:0)",
            mst_path(machine, index, number),
            card.function_of(number).substr(5),
            rdma_name(machine, index, number),
            net,
            0));
      } else if (number == 1) {
        process.out(fmt::format(
            "{:<33}- PCI configuration cycles access.\n{:35}domain:bus:dev.fn={} addr.reg=88 "
            "data.reg=92 cr_bar.gw_offset=-1\n{:35}Chip revision is: 00\n",
            mst_path(machine, index, number),
            "",
            card.function_of(number),
            ""));
      }
    }
  }
  return 0;
}

// mlxlink, mstlink: the link as the card's firmware sees it. Only queries.

namespace {

// Keys are padded to 35; only the first sections have a blank after the value (E-mlxlink).
std::string row(std::string_view key, std::string_view value, bool first_sections = true) {
  return fmt::format("{:<35}: {}{}\n", key, value, first_sections ? " " : "");
}

std::string heading(std::string_view title) {
  return fmt::format("\n{}\n{}\n", title, std::string(title.size(), '-'));
}

struct Line {
  std::string device;
  std::uint32_t port = 1;
  bool module = false, counters = false;
  std::string unknown;
};

Line read_line(const Process& process) {
  Line line;
  const std::vector<std::string>& words = process.arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    if ((words[i] == "-d" || words[i] == "--device") && more) {
      line.device = words[++i];
    } else if ((words[i] == "-p" || words[i] == "--port") && more) {
      line.port = static_cast<std::uint32_t>(parse_unsigned(words[++i], 10).value_or(0));
    } else if (words[i] == "-m" || words[i] == "--show_module") {
      line.module = true;
    } else if (words[i] == "-c" || words[i] == "--show_counters") {
      line.counters = true;
    } else {
      line.unknown = words[i];
    }
  }
  return line;
}

std::string speed_text(bool infiniband, std::uint32_t gbps) {
  if (!infiniband) return fmt::format("{}G", gbps);
  if (gbps >= 400) return "IB-NDR";
  if (gbps >= 200) return "IB-HDR";
  if (gbps >= 100) return "IB-EDR";
  return gbps >= 56 ? "IB-FDR" : "IB-QDR";
}

}  // namespace

int mlxlink(Process& process) {
  const Line line = read_line(process);
  const LinuxHost& machine = process.machine();
  if (!line.unknown.empty()) {
    process.err(fmt::format("\033[31m-E- Invalid argument: {}\033[0m\n", line.unknown));
    return kFailed;
  }
  const std::optional<MstDevice> device = find_device(machine, line.device);
  if (!device || !process.root()) {
    process.err(fmt::format("\033[31m-E- Failed to open device: \"{}\"\033[0m\n", line.device));
    return kFailed;
  }
  const Card& card = machine.state.cards[device->card];
  // On mlx5 each function has its own port, whose number is 1.
  std::uint32_t number = line.port;
  if (!card.mlx4() && line.device.ends_with(".1")) number = 2;
  if (number < 1 || number > card.ports.size()) {
    process.err("\033[31m-E- Invalid port number!\033[0m\n");
    return kFailed;
  }
  const CardPort& port = card.ports[number - 1];
  const bool linked =
      port_state(machine, process.session.network, device->card, number).physical == 5;
  const bool infiniband = port.link_type == LinkType::infiniband;
  const std::uint32_t gbps = port_gbps(machine, device->card, number);
  process.out(heading("Operational Info"));
  process.out(row("State", linked ? "Active" : "Polling"));
  process.out(row("Physical state", linked ? "LinkUp" : "ETH_AN_FSM_ENABLE"));
  process.out(row("Speed", linked ? speed_text(infiniband, gbps) : "N/A"));
  process.out(row("Width", linked ? "4x" : "N/A"));
  process.out(
      row("FEC",
          !linked       ? "N/A"
          : gbps >= 100 ? "Standard RS-FEC - RS(528,514)"
                        : "No FEC"));
  process.out(row("Loopback Mode", "No Loopback"));
  process.out(row("Auto Negotiation", "ON"));
  process.out(heading("Troubleshooting Info"));
  process.out(row("Status Opcode", linked ? "0" : port.plug.serial.empty() ? "1024" : "2"));
  process.out(row("Group Opcode", linked ? "N/A" : "MNG FW"));
  process.out(
      row("Recommendation",
          linked                     ? "No issue was observed"
          : port.plug.serial.empty() ? "Cable is unplugged"
                                     : "Negotiation failure"));
  process.out(heading("Tool Information"));
  process.out(row("Firmware Version", card.firmware));
  if (line.module && !port.plug.serial.empty()) {
    process.out(heading("Module Info"));
    process.out(row("Temperature [C]", "0 [0..0]", false));
    process.out(row("Identifier", "QSFP28", false));
    process.out(row("Cable Technology", "Copper cable unequalized", false));
    process.out(row("Vendor Name", "Mellanox", false));
    process.out(row("Vendor Part Number", "MCP1600-E002", false));
    process.out(row("Vendor Serial Number", port.plug.serial, false));
  }
  if (line.counters) {
    process.out(heading("Physical Counters and BER Info"));
    process.out(row("Time Since Last Clear [Min]", "120.0", false));
    process.out(row("Effective Physical Errors", "0", false));
    process.out(row("Effective Physical BER", "15E-255", false));
    process.out(row("Raw Physical BER", "15E-255", false));
  }
  return 0;
}

}  // namespace fabric::lab::commands
