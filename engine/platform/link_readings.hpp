// SPDX-License-Identifier: Apache-2.0
// The true state of a node's links: speed and FEC, the module in the cage, bit errors, and the PCIe
// slot behind it. Read for `verify --level link` alone: a module answers slowly.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fabric::platform {

// The readings of a module. Unknown values are empty. Many makers leave a module's own thresholds
// at 0; those count as none.
struct ModuleReading {
  std::string identifier;  // "QSFP28", "SFP"
  std::string vendor, part_number, serial;
  bool copper = false;                     // received power means nothing
  std::optional<double> temperature;       // degrees Celsius
  std::optional<double> temperature_most;  // the threshold of its own warning
  std::vector<double> received_dbm;        // by lane; -infinity = dark
  std::optional<double> received_least;    // dBm, the threshold of its own warning
  std::vector<std::string> alarms;         // the module's flags that are on, by name
  std::optional<double> cable_metres{};    // length of a copper cable, from its plug
  bool operator==(const ModuleReading&) const = default;
};

struct FecReading {
  std::string active;                   // "RS", "BaseR", "Off"
  std::vector<std::string> configured;  // allowed for negotiation: "Auto", "RS"
  std::optional<std::uint64_t> uncorrectable_blocks;
  bool operator==(const FecReading&) const = default;
};

// Readings of the PCI function, and of the bridge that it is plugged into (`slot`).
struct PcieReading {
  std::optional<std::uint32_t> generation, width;            // as negotiated
  std::optional<std::uint32_t> most_generation, most_width;  // the most of the card
  std::optional<std::uint32_t> slot_generation, slot_width;  // the most of the slot
  std::optional<std::uint32_t> numa_node;
  std::optional<std::uint64_t> correctable, uncorrectable;  // errors since the boot (AER)
  std::optional<std::uint32_t> read_request{};  // bytes that the card may ask for at once
  std::string iommu_domain{};  // "identity", "DMA", "DMA-FQ"; "" = no IOMMU, or not known
  bool operator==(const PcieReading&) const = default;
};

struct LinkReading {
  std::string interface;  // by the node's name for it
  std::optional<bool> has_link;
  std::optional<std::uint64_t> speed_mbps;    // speed of the link
  std::optional<std::uint64_t> capable_mbps;  // the fastest mode that the port supports
  std::string card_speed;  // the card's own word, "IB-EDR"; "" = it was not asked
  std::optional<bool> auto_negotiation;
  FecReading fec{};
  std::optional<ModuleReading> module{};
  PcieReading pcie{};
  // Bit error rates before and after FEC; 0 if no error was counted.
  std::optional<double> raw_ber, effective_ber;
  // For the first port of a card that chains: the 802.1p priorities whose frames it drops, because
  // it has no descriptors or no buffer for them (E-chain-buffers).
  std::set<std::uint32_t> chaining_without_buffers{};
  std::string why_down;  // the card's own diagnosis, if any
};

struct LinkReadings {
  std::vector<LinkReading> links;  // in the node's order
  std::string why_not;             // why nothing could be read; "" = it was read
};

}  // namespace fabric::platform
