// SPDX-License-Identifier: Apache-2.0
// Lossless RoCE: one mode for all ports (E-qos-switch).

#include "engine/base/text.hpp"
#include "engine/provider/orphan.hpp"
#include "providers/nvue/kinds/revision.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"
#include "providers/nvue/kinds/switch_provider.hpp"
#include "providers/roce_mode/roce_mode.hpp"

namespace fabric::providers::nvue {

namespace {

constexpr const char* kMode = "mode";

// "lossless" if `roce` has no mode.
Reading mode_in(const Value& tree) {
  const Value* roce = nvue_find(tree, {"qos", "roce"});
  if (roce == nullptr) return Reading::absent();
  const std::string mode = nvue_word(roce->find(kMode));
  return Reading::of(mode.empty() ? "lossless" : mode);
}

// "3", "3,4"; "-" where none is.
List priorities_in(std::string_view text) {
  List list;
  for (const std::string_view each : split(text, ',')) {
    if (const auto priority = parse_integer(trim(each))) list.emplace_back(*priority);
  }
  return list;
}

std::vector<Probe> probes_of_qos() {
  std::vector<Probe> probes = configuration_probes();
  probes.push_back({kRoceProbe, "nv show qos roce --operational -o json\n"});
  return probes;
}

std::vector<Resource> qos_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  const SwitchFacts found{facts};
  if (!wanted.empty() || !found.applied) return {};
  const Reading mode = mode_in(*found.applied);
  if (!mode.equals("lossless")) return {};
  return {left_roce(facts.node, "lossless")};
}

LayeredReading qos_reading(const SwitchFacts& facts, const Asked& asked) {
  LayeredReading reading;
  // The rest follows from the mode.
  if (asked.attribute == kMode) {
    reading.persistent =
        facts.startup ? mode_in(*facts.startup) : Reading::unknown(facts.startup.error().message);
  }
  const Result<std::string_view> text = answer(facts.node, kRoceProbe);
  const auto roce = text ? parse_nvue_roce(*text) : Result<NvueRoce>{text.error()};
  if (!roce) {
    reading.running = Reading::unknown(roce.error().message);
    return reading;
  }
  reading.running = roce_reading(
      {roce->mode,
       split_to_words(roce->trust),
       priorities_in(roce->pfc_priority),
       to_lower(roce->congestion_mode) == "ecn"},
      asked.attribute,
      asked.desired);
  return reading;
}

Result<Work> revise_qos(const Change& change, const SwitchFacts& facts) {
  Revision revision{*facts.applied};
  if (is_orphan(change.resource)) {
    revision.unset({"qos", "roce"});
    return Work{{revision.draft("make no port lossless any more", change)}};
  }
  revision.set({"qos", "roce", kMode, "lossless"});
  if (revision.empty()) return not_in_force(change);
  return Work{{revision.draft("make all ports lossless", change)}};
}

}  // namespace

// Lossless RoCE of the whole switch, of Cumulus.
Provider qos_provider() {
  Provider row = switch_provider("qos", Disruption::link, qos_reading, revise_qos);
  row.probes = probes_of_qos;
  // The mode without a document, since a switch does not tell who set it.
  row.orphans = qos_orphans;
  return row;
}

}  // namespace fabric::providers::nvue
