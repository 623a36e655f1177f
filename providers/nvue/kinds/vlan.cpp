// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "providers/nvue/kinds/revision.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"
#include "providers/nvue/kinds/switch_provider.hpp"

namespace fabric::providers::nvue {

namespace {

LayeredReading vlan_reading(const SwitchFacts& facts, const Asked& asked) {
  return configured(facts, [&asked](const Value& tree) {
    const Value* vlans = nvue_find(tree, {"bridge", "domain", bridge_domain(tree), "vlan"});
    const bool has = vlans != nullptr && vlans->find(to_text(asked.desired)) != nullptr;
    return has ? Reading::of(asked.desired) : Reading::absent();
  });
}

Result<Work> revise_vlan(const Change& change, const SwitchFacts& facts) {
  const std::string id = to_text(change.attributes.front().desired);
  const std::string domain = bridge_domain(*facts.applied);
  Revision revision{*facts.applied};
  revision.set({"bridge", "domain", domain, "vlan", id});
  if (revision.empty()) return not_in_force(change);
  return Work{{revision.draft(fmt::format("let {} carry VLAN {}", domain, id), change)}};
}

}  // namespace

// VLANs that the bridge carries.
Provider vlan_provider() {
  Provider row = switch_provider("vlan", Disruption::runtime, vlan_reading, revise_vlan);
  return row;
}

}  // namespace fabric::providers::nvue
