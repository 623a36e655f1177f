// SPDX-License-Identifier: Apache-2.0
// Lossless RoCE: one mode for all ports (E-qos-switch).
#include "engine/provider/orphan.hpp"
#include "providers/mlnx_os/kinds/lines.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"
#include "providers/roce_mode/roce_mode.hpp"

namespace fabric::providers::onyx {

namespace {

constexpr const char* kMode = "mode";

// `roce` without a mode is lossless.
Reading mode_in(const Configuration& tree) {
  const auto mode = tree.after("roce");
  if (!mode) return Reading::absent();
  return Reading::of(mode->empty() ? "lossless" : *mode);
}

// L3 is DSCP, L2 is PCP.
std::vector<std::string> trusts(std::string_view mode) {
  if (mode == "L3") return {"dscp"};
  if (mode == "L2") return {"pcp"};
  return {"dscp", "pcp"};
}

RoceMode mode_of(const OnyxRoce& roce) {
  RoceMode mode{roce.mode, trusts(roce.trust), {}, roce.congestion_mode.starts_with("ecn")};
  for (const std::int64_t priority : roce.pfc)
    mode.pfc.emplace_back(priority);
  return mode;
}

std::vector<Probe> probes_of_qos() {
  std::vector<Probe> probes = configuration_probes();
  probes.push_back({kRoceProbe, "show roce"});
  return probes;
}

std::vector<Resource> qos_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  const SwitchFacts found{facts};
  if (!wanted.empty() || !found.running || !mode_in(*found.running).equals("lossless")) return {};
  return {left_roce(facts.node, "lossless")};
}

std::vector<Observation> observe_qos(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  const SwitchFacts found{facts};
  const Result<std::string_view> text = answer(facts, kRoceProbe);
  const auto roce = text ? parse_onyx_roce(*text) : Result<OnyxRoce>{text.error()};
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    for (const auto& [attribute, desired] : resource.desired) {
      LayeredReading& reading = observation.attributes[attribute];
      reading.running = roce ? roce_reading(mode_of(*roce), attribute, desired.value)
                             : Reading::unknown(roce.error().message);
      // The rest follows from the mode.
      if (attribute != kMode) continue;
      reading.persistent =
          found.saved ? mode_in(*found.saved) : Reading::unknown(found.saved.error().message);
    }
  });
}

Result<Work> work_on_qos(const Change& change, const WorkContext& context) {
  const SwitchFacts found{context.facts};
  if (!found.running) return found.running.error();
  Typed typed;
  if (change.activates()) {
    const auto before = found.running->after("roce");
    if (is_orphan(change.resource)) {
      typed.type("no roce", before ? "roce lossless" : "");
      return work_of("make no port lossless any more", typed, change, false);
    }
    if (before && (before->empty() || *before == "lossless")) return not_in_force(change);
    typed.type("roce lossless", before ? "roce " + *before : "no roce");
  }
  return work_of("make all ports lossless", typed, change, false);
}

}  // namespace

// Lossless RoCE of the whole switch.
Provider qos_provider() {
  return {
      .kind = "qos",
      .probes = probes_of_qos,
      .observe = observe_qos,
      // Ports may go down and up. Orphans: the mode without a document, since a switch does not
      // tell who set it.
      .orphans = qos_orphans,
      .disruption = always(Disruption::link),
      .work = work_on_qos,
  };
}

}  // namespace fabric::providers::onyx
