// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "providers/nvue/kinds/kinds.hpp"
#include "providers/nvue/kinds/revision.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"

namespace fabric::providers::nvue {

LayeredReading VlanProvider::reading(const SwitchFacts& facts, const Asked& asked) const {
  return configured(facts, [&asked](const Value& tree) {
    const Value* vlans = nvue_find(tree, {"bridge", "domain", bridge_domain(tree), "vlan"});
    const bool has = vlans != nullptr && vlans->find(to_text(asked.desired)) != nullptr;
    return has ? Reading::of(asked.desired) : Reading::absent();
  });
}

Result<Work> VlanProvider::revise(const Change& change, const SwitchFacts& facts) const {
  const std::string id = to_text(change.attributes.front().desired);
  const std::string domain = bridge_domain(*facts.applied);
  Revision revision{*facts.applied};
  revision.set({"bridge", "domain", domain, "vlan", id});
  if (revision.empty()) return not_in_force(change);
  return Work{{revision.draft(fmt::format("let {} carry VLAN {}", domain, id), change)}};
}

}  // namespace fabric::providers::nvue
