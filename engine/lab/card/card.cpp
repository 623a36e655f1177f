// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/card/card.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/lab/card/parameters.hpp"

namespace fabric::lab {
namespace {

struct Board {
  std::string_view slug;
  std::string_view part_number;
  std::string_view description;
  std::string_view psid;
};

// One board of each common model. Part numbers, PSIDs: product knowledge; no code may decide by
// them (OEM cards have others, old tools print N/A).
constexpr std::array<Board, 12> kBoards = {{
    {"connectx-3-vpi",
     "MCX354A-FCB_A2-A5",
     "ConnectX-3 VPI adapter card; dual-port QSFP; FDR IB (56Gb/s) and 40GigE; PCIe3.0 x8 8GT/s; "
     "RoHS R6",
     "MT_1090120019"},
    {"connectx-3-pro-vpi",
     "MCX354A-FCC_Ax",
     "ConnectX-3 Pro VPI adapter card; dual-port QSFP; FDR IB (56Gb/s) and 40GigE; PCIe3.0 x8 "
     "8GT/s; RoHS R6",
     "MT_1090111019"},
    {"connectx-4-vpi",
     "MCX456A-ECA_Ax",
     "ConnectX-4 VPI adapter card; EDR IB (100Gb/s) and 100GbE; dual-port QSFP28; PCIe3.0 x16; "
     "ROHS R6",
     "MT_2190110032"},
    {"connectx-4-lx",
     "MCX4121A-ACA_Ax",
     "ConnectX-4 Lx EN network interface card; 25GbE dual-port SFP28; PCIe3.0 x8; ROHS R6",
     "MT_2420110034"},
    {"connectx-5-vpi",
     "MCX556A-ECA_Ax",
     "ConnectX-5 VPI adapter card; EDR IB (100Gb/s) and 100GbE; dual-port QSFP28; PCIe3.0 x16; "
     "tall bracket; ROHS R6",
     "MT_0000000008"},
    {"connectx-5-en",
     "MCX516A-CCA_Ax",
     "ConnectX-5 EN network interface card; 100GbE dual-port QSFP28; PCIe3.0 x16; tall bracket; "
     "ROHS R6",
     "MT_0000000012"},
    {"connectx-5-ex-vpi",
     "MCX556A-EDA_Ax",
     "ConnectX-5 Ex VPI adapter card; EDR IB (100Gb/s) and 100GbE; dual-port QSFP28; PCIe4.0 x16; "
     "tall bracket; ROHS R6",
     "MT_0000000009"},
    {"connectx-6-vpi",
     "MCX653106A-HDA_Ax",
     "ConnectX-6 VPI adapter card; HDR IB (200Gb/s) and 200GbE; dual-port QSFP56; PCIe4.0 x16; "
     "tall bracket; ROHS R6",
     "MT_0000000225"},
    {"connectx-6-dx",
     "MCX623106AN-CDA_Ax",
     "ConnectX-6 Dx EN adapter card; 100GbE; Dual-port QSFP56; PCIe 4.0 x16; No Crypto",
     "MT_0000000359"},
    {"connectx-6-lx",
     "MCX631102AN-ADA_Ax",
     "ConnectX-6 Lx EN adapter card; 25GbE; Dual-port SFP28; PCIe 4.0 x8; No Crypto",
     "MT_0000000547"},
    {"connectx-7-vpi",
     "MCX755106AS-HEA_Ax",
     "ConnectX-7 VPI adapter card; NDR200 IB (200Gb/s) and 200GbE; dual-port QSFP112; PCIe5.0 x16",
     "MT_0000000834"},
    {"connect-ib",
     "MCB194A-FCA_A1",
     "Connect-IB Host Channel Adapter; dual-port QSFP; FDR 56Gb/s; PCIe3.0 x16; RoHS R6",
     "MT_1210110019"},
}};

// A recent release of each firmware family; the number before the first point is the chip's.
std::string recent_firmware(const HardwareModel& hardware) {
  switch (hardware.firmware_major) {
    case 2:
      return "2.42.5000";
    case 10:
      return "10.16.1200";
    case 12:
      return "12.28.2006";
    case 14:
      return "14.32.1010";
    default:
      return fmt::format("{}.35.2000", hardware.firmware_major);
  }
}

void describe_board(Card& card) {
  const auto* board = std::ranges::find_if(
      kBoards, [&](const Board& candidate) { return candidate.slug == card.hardware.slug; });
  if (board == kBoards.end()) {
    card.part_number = "N/A";
    card.description = "N/A";
    card.psid = fmt::format("MT_{:010}", card.device_id());
    return;
  }
  card.part_number = board->part_number;
  card.description = board->description;
  card.psid = board->psid;
  if (card.ports.size() == 1 && card.hardware.slug == "connectx-5-vpi") {
    card.part_number = "MCX555A-ECA_Ax_Bx";
    card.description =
        "ConnectX-5 VPI adapter card; EDR IB (100Gb/s) and 100GbE; single-port QSFP28; PCIe3.0 "
        "x16; tall bracket; ROHS R6";
    card.psid = "MT_0000000010";
  }
}

LinkType link_type_of(const Card& card, std::uint32_t port) {
  if (!card.hardware.infiniband) return LinkType::ethernet;
  if (!card.hardware.ethernet) return LinkType::infiniband;
  const std::uint64_t value = card.current_of(fmt::format("LINK_TYPE_P{}", port));
  return value == 2 ? LinkType::ethernet : LinkType::infiniband;  // VPI(3) of mlx4 starts as IB
}

}  // namespace

std::uint64_t Card::next_of(const std::string& setting) const {
  const auto found = settings.find(setting);
  return found == settings.end() ? 0 : found->second.next;
}

std::uint64_t Card::current_of(const std::string& setting) const {
  const auto found = settings.find(setting);
  return found == settings.end() ? 0 : found->second.current;
}

Card make_card(
    const HardwareModel& hardware, std::uint32_t ports, std::uint32_t index, Random& random) {
  Card card;
  card.hardware = hardware;
  card.pci = fmt::format("0000:{:02x}:00", index == 0 ? 0x01U : 0x40U + index);
  card.firmware = recent_firmware(hardware);
  card.serial = fmt::format("MT{:04}X{:05}", 1800 + random.below(600), random.below(100'000));
  // Mellanox OUI; GUID = OUI, 03:00 and the low 3 bytes. Steps of 16 leave room for the ports.
  const std::uint64_t low = random.below(0xFFFF0) << 4U;
  constexpr std::uint64_t kOui = 0x0c42a1;
  card.base_guid = (kOui << 40U) | (std::uint64_t{0x0300} << 24U) | low;
  const std::uint32_t count = ports == 0 ? hardware.ports : ports;
  for (std::uint32_t number = 1; number <= count; ++number) {
    CardPort port;
    port.number = number;
    port.mac = mac_text((kOui << 24U) | (low + number - 1));
    port.guid = card.base_guid + number - (card.mlx4() ? 0 : 1);
    card.ports.push_back(port);
  }
  describe_board(card);
  for (const Parameter& parameter : parameters_of(card)) {
    const std::uint32_t elements = parameter.kind == ParameterKind::array ? parameter.length : 1;
    for (std::uint32_t element = 0; element < elements; ++element) {
      const std::string name = parameter.kind == ParameterKind::array
                                   ? element_name(parameter.name, element)
                                   : parameter.name;
      card.settings[name] = Setting{parameter.standard, parameter.standard, parameter.standard};
    }
  }
  load_settings(card);
  return card;
}

void reset_firmware(Card& card) {
  card.firmware = card.flash();
  card.burned.clear();
  for (auto& [name, setting] : card.settings) {
    if (name != "HOST_CHAINING_MODE") setting.current = setting.next;
  }
  for (CardPort& port : card.ports)
    port.link_type = link_type_of(card, port.number);
}

void load_settings(Card& card) {
  reset_firmware(card);
  for (CardPort& port : card.ports) {
    port.vfs = 0;
    port.qos = {};
  }
  const auto mode = card.settings.find("HOST_CHAINING_MODE");
  if (mode != card.settings.end()) mode->second.current = mode->second.next;
  const bool ethernet = std::ranges::all_of(
      card.ports, [](const CardPort& port) { return port.link_type == LinkType::ethernet; });
  card.chaining = card.hardware.host_chaining && card.ports.size() == 2 && ethernet &&
                  card.current_of("HOST_CHAINING_MODE") == 1;
}

void set_base_guid(Card& card, std::uint64_t guid) {
  card.base_guid = guid;
  for (CardPort& port : card.ports) {
    port.guid = guid + port.number - (card.mlx4() ? 0 : 1);
    const std::uint64_t mac = ((guid >> 40U) << 24U) | (guid & 0xFFFFFFU);
    port.mac = mac_text(mac + port.number - 1);
  }
}

std::uint32_t port_gbps(const Card& card, std::uint32_t port) {
  if (card.ports[port - 1].plug.gbps != 0) return card.ports[port - 1].plug.gbps;
  const bool ethernet = card.ports[port - 1].link_type == LinkType::ethernet;
  return ethernet ? card.hardware.ethernet_gbps : card.hardware.infiniband_gbps;
}

std::string mac_text(std::uint64_t bits) {
  return fmt::format(
      "{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}",
      (bits >> 40U) & 0xFFU,
      (bits >> 32U) & 0xFFU,
      (bits >> 24U) & 0xFFU,
      (bits >> 16U) & 0xFFU,
      (bits >> 8U) & 0xFFU,
      bits & 0xFFU);
}

std::string guid_text(std::uint64_t bits) {
  return fmt::format(
      "{:04x}:{:04x}:{:04x}:{:04x}",
      bits >> 48U,
      (bits >> 32U) & 0xFFFFU,
      (bits >> 16U) & 0xFFFFU,
      bits & 0xFFFFU);
}

}  // namespace fabric::lab
