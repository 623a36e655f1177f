// SPDX-License-Identifier: Apache-2.0
// One machine in lab.yaml (schemas/lab.schema.json), and its possible faults.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/result.hpp"

namespace fabric::lab {

enum class Fault : std::uint8_t {
  none,
  lost_reply,
  lost_command,
  stall,
  refused,
  slow_boot,
  no_boot,
  disk_full,
  lying_exit,
  power_loss,
  cut_off,     // any change of its network configuration cuts the host off, until it is rolled back
  late,        // cut_off, and what is sent over an open session meanwhile arrives afterwards
  torn_input,  // the connection breaks while a command is sent its input: it gets half of it
  boots_twice,  // after its next boot it boots once more by itself
  clock_jump    // the clock jumps a day ahead
};
std::string_view to_string(Fault fault);  // "lost-reply"
Result<Fault> parse_fault(std::string_view text);

struct LabAdapter {
  std::optional<std::string> firmware;           // "16.22.1002"
  std::map<std::string, std::string> settings;   // PARAMETER: value, current and next boot
  std::map<std::string, std::string> next_boot;  // armed, not yet active
  std::optional<std::string> model;              // another card than the document says
  std::optional<std::string> pci;
  std::uint32_t pcie_lanes = 0;  // of the trained link; 0 = all
  // Identity of the copy of a card (engine/rehearse); lab.yaml has no keys for these.
  std::optional<std::string> node_guid, serial, psid;
  bool missing = false;
};

// Faults of a host's clocks, at times since the start of the lab.
struct LabClocks {
  // Milliseconds that the clocks count in a second, suspended or not. NTP corrects the wall clock.
  int rate = 1000;
  // The wall clock is set: by NTP late after a boot without a battery-backed clock.
  Duration set_at{0};
  Duration set_by{0};  // 0 = never
  // The hypervisor pauses the host: it neither answers nor runs, and all its clocks stand still.
  Duration paused_at{0};
  Duration paused_for{0};  // 0 = it is not
};

struct LabHost {
  std::map<std::string, LabAdapter> adapters;
  std::optional<std::string> bridge{};       // the bridge of the management port: "vmbr0"
  std::optional<std::string> backend;        // of MachineProfile
  std::optional<std::string> tool;           // "mstconfig" (default), "mlxconfig", "none"
  std::optional<std::string> tool_version;   // column layout: "4.11", "4.21", "4.26", "4.36"
  std::map<std::string, std::string> files;  // path: content
  std::optional<Duration> boot_time;         // 2 s
  std::optional<bool> lacp{};                // of an unmanaged switch: false = it has none
  std::optional<bool> lldpd;                 // true: lldpcli is there and answers
  std::optional<std::string> archive;        // "online" (default), "offline", "locked"
  std::optional<std::string> client;         // the address from which SSH sessions come
  // The id of the present boot; and, for a copy of a host, root's changes since.
  std::optional<std::string> boot_id;
  std::vector<std::string> done_since_boot;
  Fault fault = Fault::none;
  std::uint32_t fault_after = 0;  // commands that still go well before the fault
  bool infiniband = false;  // a switch of such ports, by the document's networks; no key either
  // Ports of a switch that the document names: it has them besides those of the usual model.
  std::set<std::string> named_ports{};
  LabClocks clocks{};  // lab.yaml has no key for them
};

}  // namespace fabric::lab
