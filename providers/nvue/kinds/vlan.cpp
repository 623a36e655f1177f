// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/nvue/kinds/revision.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"
#include "providers/nvue/kinds/switch_provider.hpp"

namespace fabric::providers::nvue {

namespace {

// The interfaces of tagged frames: ports, or the bonds that have them by now; with the VLAN that is
// wanted there for untagged frames, "" = the present one.
std::map<std::string, std::string> carriers_of(const Value& tree, const Resource& resource) {
  std::map<std::string, std::string> carriers;
  for (const Value& each : resource.bound_list(keys::kCarriedAt)) {
    const List& names = each.member("ports").items();
    if (names.empty()) continue;
    const std::string port = native_port(to_text(names.front()));
    const std::string bond = each.find("bond") == nullptr ? "" : bond_with(tree, port);
    const Value* access = each.find("access_vlan");
    carriers[bond.empty() ? port : bond] = access == nullptr ? "" : to_text(*access);
  }
  return carriers;
}

// An access port takes no tags; one with a list takes those; else all that the bridge has. One that
// is in no bridge is the matter of its own resource.
bool carries(const Value& tree, const std::string& interface, std::uint64_t id) {
  if (bridge_of(tree, interface).empty()) return true;
  const Value* own = own_vlans(tree, interface);
  if (own == nullptr || own->as_map() == nullptr) return true;
  if (own->find("access") != nullptr) return false;
  return own->find("vlan") == nullptr || has_vlan(own->find("vlan"), id);
}

LayeredReading vlan_reading(const SwitchFacts& facts, const Asked& asked) {
  const std::int64_t* number = asked.desired.as_integer();
  const std::uint64_t id = number == nullptr ? 0 : static_cast<std::uint64_t>(*number);
  return configured(facts, [&](const Value& tree) {
    const std::map<std::string, std::string> carriers = carriers_of(tree, asked.resource);
    const bool is_carried =
        has_vlan(nvue_find(tree, {"bridge", "domain", bridge_domain(tree), "vlan"}), id) &&
        std::ranges::all_of(
            carriers, [&](const auto& carrier) { return carries(tree, carrier.first, id); });
    return is_carried ? Reading::of(asked.desired) : Reading::absent();
  });
}

Result<Work> revise_vlan(const Change& change, const SwitchFacts& facts) {
  const Value& applied = *facts.applied;
  const std::string id = to_text(change.attributes.front().desired);
  const std::string domain = bridge_domain(applied);
  const std::uint64_t number = parse_unsigned(id, 10).value_or(0);
  Revision revision{applied};
  if (!has_vlan(nvue_find(applied, {"bridge", "domain", domain, "vlan"}), number))
    revision.set({"bridge", "domain", domain, "vlan", id});
  std::vector<std::string> disturbed;
  for (const auto& [interface, wanted] : carriers_of(applied, change.resource)) {
    if (carries(applied, interface, number)) continue;
    const Words start{"interface", interface, "bridge", "domain", bridge_of(applied, interface)};
    const auto with = [&start](std::initializer_list<std::string> more) {
      Words words = start;
      words.insert(words.end(), more);
      return words;
    };
    // An access port becomes a port for untagged frames, as before, and for those of this VLAN.
    const std::string access = nvue_word(own_vlans(applied, interface)->find("access"));
    if (!access.empty()) {
      const std::string& untagged = wanted.empty() ? access : wanted;
      revision.unset(with({"access"}));
      revision.set(with({"untagged", untagged}));
      revision.set(with({"vlan", untagged}));
    }
    revision.set(with({"vlan", id}));
    disturbed.push_back(interface);
  }
  if (revision.empty()) return not_in_force(change);
  Work work{{revision.draft(fmt::format("let {} carry VLAN {}", domain, id), change)}};
  work.actions.front().disturbs = std::move(disturbed);
  return work;
}

}  // namespace

// VLANs that the bridge carries, and each port and bond of the network in it.
Provider vlan_provider() {
  return switch_provider("vlan", Disruption::runtime, vlan_reading, revise_vlan);
}

}  // namespace fabric::providers::nvue
