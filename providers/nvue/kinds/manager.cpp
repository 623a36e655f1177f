// SPDX-License-Identifier: Apache-2.0

#include "engine/base/text.hpp"
#include "providers/nvue/kinds/revision.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"
#include "providers/nvue/kinds/switch_provider.hpp"

namespace fabric::providers::nvue {

namespace {

constexpr const char* kManages = "manages";
constexpr const char* kPriority = "priority";

// Most releases do not know the command: that is an answer (E-nvos-sm).
bool has_no_manager(const NodeFacts& facts) {
  const auto found = facts.probes.find(kManagerProbe);
  if (found == facts.probes.end()) return false;
  const std::string said =
      to_lower(found->second.standard_error.str() + found->second.standard_output.str());
  return said.find("invalid command") != std::string::npos;
}

Reading reading_of(const NodeFacts& facts, const std::string& attribute) {
  if (has_no_manager(facts)) return Reading::absent();
  const Result<std::string_view> text = answer(facts, kManagerProbe);
  if (!text) return Reading::unknown(text.error().message);
  const Result<Value> tree = parse_nvue_json(*text);
  if (!tree) return Reading::unknown(tree.error().message);
  if (attribute == kManages) {
    const std::string running = to_lower(nvue_word(tree->find("is-running")));
    const std::string state = to_lower(nvue_word(tree->find("state")));
    if (running.empty() && state.empty()) return Reading::unknown("no line says if it runs");
    return Reading::of(
        running.empty() ? state == "enabled" : running == "yes" || running == "true");
  }
  const auto number = parse_integer(nvue_word(tree->find("sm-priority")));
  return number ? Reading::of(*number) : Reading::unknown("it shows no priority");
}

std::vector<Probe> probes_of_manager() {
  return {{kManagerProbe, "nv show ib sm -o json\n"}};
}

LayeredReading manager_reading(const SwitchFacts& facts, const Asked& asked) {
  LayeredReading reading;
  reading.running = reading_of(facts.node, asked.attribute);
  return reading;
}

Result<Work> revise_manager(const Change& change, const SwitchFacts& facts) {
  if (has_no_manager(facts.node))
    return impossible(
        change.resource,
        "this release of NVOS has no subnet manager (`nv show ib sm` is no command there); "
        "let a host of the subnet, or UFM, run it");
  Revision revision{*facts.applied};
  for (const AttributeChange& each : change.attributes) {
    if (each.attribute == kManages) revision.set({"ib", "sm", "state", "enabled"});
    if (each.attribute == kPriority)
      revision.set({"ib", "sm", "sm-priority", to_text(each.desired)});
  }
  if (revision.empty()) return not_in_force(change);
  return Work{{revision.draft("let the switch manage its subnet", change)}};
}

}  // namespace

// The subnet manager of NVOS, which most releases have not.
Provider manager_provider() {
  Provider row =
      switch_provider("subnet_manager", Disruption::runtime, manager_reading, revise_manager);
  row.probes = probes_of_manager;
  return row;
}

}  // namespace fabric::providers::nvue
