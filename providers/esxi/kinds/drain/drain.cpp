// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <fmt/format.h>

#include "engine/provider/disruption_hooks.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/parsers/esxcli_keyvalue.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/esxi/kinds/sriov/virtual_functions.hpp"
#include "providers/esxi/machine/esxi_platform.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kMachinesProbe = "esxi-machines";

Reading noted(const NodeFacts& facts) {
  const Result<std::string> note = note_of(facts, platform::kMaintenanceNote);
  if (!note) return Reading::unknown(note.error().message);
  if (note->empty() || *note == "none") return Reading::of(false);
  if (*note == "entered" || *note == "found") return Reading::of(true);
  return Reading::unknown(fmt::format("/UserVars/{} is '{}'", platform::kMaintenanceNote, *note));
}

Reading in_maintenance(const NodeFacts& facts) {
  const Result<bool> mode = maintenance_mode(facts);
  return mode ? Reading::of(*mode) : Reading::unknown(mode.error().message);
}

// The owner of a virtual function is given by its world, or by the group of worlds that it leads:
// releases differ (E-esxi-vf-owner). An owner that is no known machine is named by its number.
Reading held_machines(const NodeFacts& facts) {
  const auto owners = owners_of_functions(facts);
  if (!owners) return Reading::unknown(owners.error().message);
  if (owners->empty()) return Reading::of(List{});
  const Result<std::string_view> text = answer(facts, kMachinesProbe);
  if (!text) return Reading::unknown(text.error().message);
  const auto rows = read_esxcli_keyvalue(*text, {"displayname", "worldid"});
  if (!rows) return Reading::unknown(rows.error().message);
  std::set<std::string> names;
  for (const std::string& owner : *owners) {
    bool known = false;
    for (const EsxcliRow& row : *rows) {
      if (row.cell("worldid") != owner && row.cell("vmxcartelid") != owner) continue;
      names.emplace(row.cell("displayname"));
      known = true;
    }
    if (!known) names.insert("world " + owner);
  }
  return Reading::of(List{names.begin(), names.end()});
}

std::vector<Probe> probes_of_drain() {
  return {
      maintenance_probe(),
      virtual_functions_probe(),
      {kMachinesProbe, "esxcli --formatter=keyvalue vm process list\n"},
      notes_probe()};
}

std::vector<Observation> observe_drain(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  return observe_each(wanted, [&](const Resource& /*resource*/, Observation& observation) {
    observation.attributes[std::string{kDrained}].running = noted(facts);
    observation.attributes[std::string{kInMaintenance}].running = in_maintenance(facts);
    observation.attributes[std::string{kHeldMachines}].running = held_machines(facts);
  });
}

Result<Work> work_on_drain(const Change& change, const WorkContext& /*context*/) {
  return leave_maintenance(change, platform::esxi_maintenance_mode());
}

}  // namespace

// "drain": whether a run that entered the maintenance mode still has to leave it. `drained`,
// running: the record of platform::MaintenanceMode, which no boot wipes. `in_maintenance`,
// running: the mode itself, whatever has entered it. `held_machines`, running: the machines that
// hold a virtual function.
Provider drain_provider() {
  return {
      .kind = kinds::kDrain,
      .probes = probes_of_drain,
      .observe = observe_drain,
      .disruption = always(Disruption::none),
      .work = work_on_drain,
  };
}

}  // namespace fabric::providers::esxi
