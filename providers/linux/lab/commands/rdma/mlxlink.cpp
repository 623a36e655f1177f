// SPDX-License-Identifier: Apache-2.0
// mlxlink, mstlink: the link as the card's firmware sees it. Only queries.
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/rdma/mst_device.hpp"
#include "providers/linux/lab/commands/rdma/rdma_families.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab::commands {
namespace {

constexpr int kFailed = 1;

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
