// SPDX-License-Identifier: Apache-2.0
// mst mstfwreset
#include <fmt/format.h>

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

}  // namespace fabric::lab::commands
