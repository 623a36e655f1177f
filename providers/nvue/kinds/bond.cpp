// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/provider/channel_mark.hpp"
#include "engine/provider/orphan.hpp"
#include "providers/nvue/kinds/revision.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"
#include "providers/nvue/kinds/switch_provider.hpp"

namespace fabric::providers::nvue {

namespace {

constexpr const char* kMode = "mode";
constexpr const char* kMembers = "members";
constexpr const char* kMtu = "mtu";
constexpr const char* kBridged = "bridged";
constexpr const char* kAccessVlan = "access_vlan";
constexpr const char* kMlagId = "mlag_id";
constexpr const char* kSegment = "segment";
constexpr const char* kSegmentMac = "segment_mac";
constexpr const char* kDescription = "description";
constexpr std::int64_t kUsualMtu = 9216;

std::vector<std::string> wanted_ports(const Resource& resource) {
  std::vector<std::string> ports;
  const List* list = resource.binding.at(std::string{keys::kSwitchPorts}).as_list();
  if (list == nullptr) return ports;
  for (const Value& port : *list)
    ports.push_back(native_port(to_text(port)));
  return ports;
}

// A bond that has one of the ports keeps its name, whatever it is; one that is left has its name.
std::string bond_in(const Value& tree, const Resource& resource) {
  if (const Value* left = resource.bound(keys::kBond)) {
    std::string name = to_text(*left);
    return nvue_find(tree, {"interface", name, "bond"}) == nullptr ? std::string{} : name;
  }
  for (const std::string& port : wanted_ports(resource)) {
    if (std::string bond = bond_with(tree, port); !bond.empty()) return bond;
  }
  return {};
}

// In the order of the wanted ones, then the others.
Value members_in(const Value& tree, const Resource& resource, const std::string& bond) {
  const std::vector<std::string> found = members_of(tree, bond);
  const std::vector<std::string> wanted = wanted_ports(resource);
  List list;
  const auto has = [](const std::vector<std::string>& ports, const std::string& port) {
    return std::find(ports.begin(), ports.end(), port) != ports.end();
  };
  for (const std::string& port : wanted)
    if (has(found, port)) list.emplace_back(written_port(port));
  for (const std::string& port : found)
    if (!has(wanted, port)) list.emplace_back(written_port(port));
  return list;
}

Reading reading_in(const Value& tree, const Asked& asked) {
  const std::string bond = bond_in(tree, asked.resource);
  if (bond.empty()) return Reading::absent();
  if (asked.attribute == kMembers) return Reading::of(members_in(tree, asked.resource, bond));
  if (asked.attribute == kBridged) return Reading::of(!bridge_of(tree, bond).empty());
  if (asked.attribute == kAccessVlan) return access_vlan_in(tree, bond);
  if (asked.attribute == kMode) {
    const Value* mode = nvue_find(tree, {"interface", bond, "bond", "mode"});
    return Reading::of(mode == nullptr ? "lacp" : nvue_word(mode));
  }
  if (asked.attribute == kMlagId) {
    const Value* id = nvue_find(tree, {"interface", bond, "bond", "mlag", "id"});
    return id == nullptr ? Reading::absent() : Reading::of(*id);
  }
  if (asked.attribute == kSegment || asked.attribute == kSegmentMac) {
    const Value* segment = nvue_find(tree, {"interface", bond, "evpn", "multihoming", "segment"});
    const Value* said =
        is_on(segment) ? segment->find(asked.attribute == kSegment ? "local-id" : "mac-address")
                       : nullptr;
    if (said == nullptr) return Reading::absent();
    return Reading::of(said->as_integer() != nullptr ? *said : Value{to_lower(nvue_word(said))});
  }
  if (asked.attribute != kMtu) return Reading::unknown("it is not read");
  const Value* mtu = nvue_find(tree, {"interface", bond, "link", "mtu"});
  return at_least(Reading::of(mtu == nullptr ? Value{kUsualMtu} : *mtu), asked.desired);
}

void set_members(
    Revision& revision, const Value& applied, const Resource& resource, const std::string& bond) {
  const std::vector<std::string> wanted = wanted_ports(resource);
  for (const std::string& port : wanted) {
    const std::string other = bond_with(applied, port);
    if (!other.empty() && other != bond)
      revision.unset({"interface", other, "bond", "member", port});
    // The bond takes over a member's own settings (E-nvue-bond).
    revision.unset({"interface", port, "bridge"});
    revision.unset({"interface", port, "link", "mtu"});
    revision.set({"interface", bond, "bond", "member", port});
  }
  for (const std::string& port : members_of(applied, bond)) {
    if (std::find(wanted.begin(), wanted.end(), port) == wanted.end())
      revision.unset({"interface", bond, "bond", "member", port});
  }
}

Work removal(const Change& change, const Value& applied, const std::string& bond) {
  Revision revision{applied};
  revision.unset({"interface", bond});
  ActionDraft draft = revision.draft(fmt::format("remove {}", bond), change);
  draft.disturbs = wanted_ports(change.resource);
  draft.disturbs.push_back(bond);
  return Work{{std::move(draft)}};
}

std::vector<Resource> bond_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  const SwitchFacts found{facts};
  const Value* interfaces = found.applied ? found.applied->find("interface") : nullptr;
  if (interfaces == nullptr || interfaces->as_map() == nullptr) return {};
  std::vector<MarkedChannel> channels;
  for (const auto& [name, each] : *interfaces->as_map()) {
    if (each.find("bond") == nullptr) continue;
    MarkedChannel& channel = channels.emplace_back();
    channel.name = name;
    channel.description = nvue_word(each.find(kDescription));
    for (const std::string& port : members_of(*found.applied, name))
      channel.ports.push_back(written_port(port));
    std::sort(channel.ports.begin(), channel.ports.end(), is_lower_port);
  }
  return left_channels(wanted, facts.node, channels);
}

LayeredReading bond_reading(const SwitchFacts& facts, const Asked& asked) {
  LayeredReading reading =
      configured(facts, [&](const Value& tree) { return reading_in(tree, asked); });
  if (!facts.interfaces) {
    reading.running = Reading::unknown(facts.interfaces.error().message);
    return reading;
  }
  for (const std::string& port : wanted_ports(asked.resource)) {
    if (facts.interface(port) != nullptr) continue;
    reading.running = Reading::unknown(fmt::format("the switch has no port {}", port));
    return reading;
  }
  if (asked.attribute != kMtu || !facts.applied) return reading;
  const NvueInterface* bond = facts.interface(bond_in(*facts.applied, asked.resource));
  if (bond != nullptr && bond->mtu)
    reading.running = at_least(Reading::of(*bond->mtu), asked.desired);
  return reading;
}

Result<Work> revise_bond(const Change& change, const SwitchFacts& facts) {
  const Value& applied = *facts.applied;
  const std::string known = bond_in(applied, change.resource);
  if (is_orphan(change.resource)) return removal(change, applied, known);
  const std::string bond = known.empty() ? change.resource.address.name.str() : known;
  if (known.empty() && nvue_find(applied, {"interface", bond}) != nullptr) {
    return impossible(
        change.resource,
        fmt::format("the switch has an interface {} with other ports; rename it there", bond));
  }
  Revision revision{applied};
  if (known.empty()) revision.set({"interface", bond, kDescription, channel_mark(change.resource)});
  for (const AttributeChange& each : change.attributes) {
    if (!each.activate) continue;
    if (each.attribute == kMembers) set_members(revision, applied, change.resource, bond);
    if (each.attribute == kMode)
      revision.set({"interface", bond, "bond", "mode", to_text(each.desired)});
    if (each.attribute == kMtu)
      revision.set({"interface", bond, "link", "mtu", to_text(each.desired)});
    if (each.attribute == kBridged)
      revision.set({"interface", bond, "bridge", "domain", bridge_domain(applied)});
    if (each.attribute == kAccessVlan)
      set_access_vlan(revision, applied, change.resource, bond, to_text(each.desired));
    if (each.attribute == kMlagId)
      revision.set({"interface", bond, "bond", "mlag", "id", to_text(each.desired)});
    const bool is_segment = each.attribute == kSegment;
    if (!is_segment && each.attribute != kSegmentMac) continue;
    const auto set = [&](Words words) {
      Words all{"interface", bond, "evpn", "multihoming", "segment"};
      all.insert(all.end(), words.begin(), words.end());
      revision.set(std::move(all));
    };
    set({is_segment ? "local-id" : "mac-address", to_text(each.desired)});
    if (!is_segment) continue;
    set(switched_on(facts.node));
    revision.unset({"interface", bond, "bond", "mlag"});
  }
  if (revision.empty()) return not_in_force(change);
  ActionDraft draft = revision.draft(fmt::format("configure {}", bond), change);
  draft.disturbs = wanted_ports(change.resource);
  draft.disturbs.push_back(bond);
  return Work{{std::move(draft)}};
}

}  // namespace

// The other ends of hosts' bonds.
Provider bond_provider() {
  Provider row = switch_provider("bond", Disruption::link, bond_reading, revise_bond);
  // From their mark (engine/provider/channel_mark.hpp).
  row.orphans = bond_orphans;
  return row;
}

}  // namespace fabric::providers::nvue
