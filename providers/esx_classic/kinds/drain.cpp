// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/disruption_hooks.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx_classic/kinds/rows.hpp"
#include "providers/esx_classic/machine/esx_classic_platform.hpp"

namespace fabric::providers::esx_classic {

namespace {

// The text after `word` in the probe's answer.
Result<std::string_view> told(const NodeFacts& facts, std::string_view word) {
  const std::string_view text =
      FABRIC_TRY(esxi::answer(facts, platform::esx_classic_maintenance_probe().id));
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with(word)) return trim(line.substr(word.size()));
  }
  return Error{ErrorCode::invalid, fmt::format("the host does not show its {}", trim(word))};
}

Reading noted(const NodeFacts& facts) {
  const Result<std::string_view> note = told(facts, "note ");
  if (!note) return Reading::unknown(note.error().message);
  if (*note == "none") return Reading::of(false);
  if (*note == "entered" || *note == "found") return Reading::of(true);
  return Reading::unknown(
      fmt::format("the maintenance note is '{}', not none, entered or found", *note));
}

Reading in_maintenance(const NodeFacts& facts) {
  const Result<std::string_view> mode = told(facts, "mode ");
  if (!mode) return Reading::unknown(mode.error().message);
  if (*mode == "true" || *mode == "false") return Reading::of(*mode == "true");
  return Reading::unknown("the host does not show its maintenance mode");
}

std::vector<Probe> probes_of_drain() {
  return {platform::esx_classic_maintenance_probe()};
}

std::vector<Observation> observe_drain(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  return observe_each(wanted, [&](const Resource& /*resource*/, Observation& observation) {
    observation.attributes[std::string{kDrained}].running = noted(facts);
    observation.attributes[std::string{kInMaintenance}].running = in_maintenance(facts);
  });
}

Result<Work> work_on_drain(const Change& change, const WorkContext& /*context*/) {
  return leave_maintenance(change, platform::esx_classic_maintenance_mode());
}

}  // namespace

// The resource of a run that entered the maintenance mode and has to leave it.
Provider drain_provider() {
  return {
      .kind = kinds::kDrain,
      .probes = probes_of_drain,
      .observe = observe_drain,
      .disruption = always(Disruption::none),
      .work = work_on_drain,
  };
}

}  // namespace fabric::providers::esx_classic
