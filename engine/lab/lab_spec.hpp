// lab.yaml: what is different in "reality" from what the document says (schemas/lab.schema.json).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/model/spec.hpp"

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
  clock_jump    // its clock is a day ahead all at once
};
std::string_view to_string(Fault fault);  // "lost-reply"
Result<Fault> parse_fault(std::string_view text);

struct LabAdapter {
  std::optional<std::string> firmware;           // "16.22.1002"
  std::map<std::string, std::string> settings;   // PARAMETER: value, current and next boot
  std::map<std::string, std::string> next_boot;  // armed by somebody, not yet active
  std::optional<std::string> model;              // another card than the document says
  std::optional<std::string> pci;
  // Of a copy of a card (engine/rehearse); lab.yaml has no keys for them.
  std::optional<std::string> node_guid, serial, psid;
  bool missing = false;
};

struct LabHost {
  std::map<std::string, LabAdapter> adapters;
  std::optional<std::string> backend;  // "networkd" (default), "ifupdown", "ifupdown2", "ifcfg"
  std::optional<std::string> tool;     // "mstconfig" (default), "mlxconfig", "none"
  std::optional<std::string> tool_version;   // column layout: "4.11", "4.21", "4.26", "4.36"
  std::map<std::string, std::string> files;  // path: content
  std::optional<Duration> boot_time;         // 2 s
  std::optional<bool> lldpd;                 // true: lldpcli is there and answers
  std::optional<std::string> archive;        // "online" (default), "offline", "locked"
  // Of a copy of a host, too: the boot that it is in, and what root has done there since.
  std::optional<std::string> boot_id;
  std::vector<std::string> done_since_boot;
  Fault fault = Fault::none;
  std::uint32_t fault_after = 0;  // commands that still go well before the fault
};

struct LabCable {
  PortRef a, b;
};

struct LabSpec {
  std::uint64_t seed = 1;
  std::map<std::string, LabHost> hosts;
  // Replaces the document's cables where given.
  std::optional<std::vector<LabCable>> cables;
  std::vector<PortRef> unplugged;
  // Frames get through, and each is counted as damaged where it comes in.
  std::vector<PortRef> dirty;
  // Percent of commands that meet a random fault (simulation).
  std::uint32_t fault_percent = 0;
};

// An empty `files` list gives the default lab. Problems go to `diagnostics`.
LabSpec load_lab(
    const SourceMap& sources,
    std::optional<FileId> file,
    const FabricSpec& fabric,
    Diagnostics& diagnostics);

}  // namespace fabric::lab
