// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/lists.hpp"
#include "providers/nvue/kinds/revision.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"
#include "providers/nvue/kinds/switch_provider.hpp"

namespace fabric::providers::nvue {

namespace {

constexpr const char* kPeerlink = "peerlink";
constexpr const char* kSystemMac = "system_mac";
constexpr const char* kBackup = "backup";
constexpr const char* kMtu = "mtu";
constexpr const char* kMultihoming = "multihoming";
constexpr std::int64_t kUsualMtu = 9216;  // E-nvue-mtu

Reading reading_in(const Value& tree, const std::string& attribute, const Value& desired) {
  if (attribute == kPeerlink) {
    const std::vector<std::string> members = members_of(tree, kPeerlink);
    if (members.empty()) return Reading::absent();
    List list = to_list(members, written_port);
    // A set: the order of the document is as good as any.
    const List* wanted = desired.as_list();
    const bool same = wanted != nullptr &&
                      std::is_permutation(list.begin(), list.end(), wanted->begin(), wanted->end());
    return Reading::of(same ? desired : Value{std::move(list)});
  }
  if (attribute == kMultihoming)
    return Reading::of(is_on(nvue_find(tree, {"evpn", "multihoming"})));
  if (attribute == kSystemMac) {
    const Value* mac = nvue_find(tree, {"mlag", "mac-address"});
    return mac == nullptr ? Reading::absent() : Reading::of(to_lower(nvue_word(mac)));
  }
  if (attribute == kMtu) {
    if (members_of(tree, kPeerlink).empty()) return Reading::absent();
    const Value* mtu = nvue_find(tree, {"interface", kPeerlink, "link", "mtu"});
    return at_least(Reading::of(mtu == nullptr ? Value{kUsualMtu} : *mtu), desired);
  }
  const Map& map = or_null(nvue_find(tree, {"mlag", "backup"})).members();
  if (map.empty()) return Reading::absent();
  return Reading::of(map.begin()->first);
}

std::vector<Probe> probes_of_mlag() {
  std::vector<Probe> probes = configuration_probes();
  probes.push_back({kMlagProbe, "nv show mlag --operational -o json\n"});
  return probes;
}

LayeredReading mlag_reading(const SwitchFacts& facts, const Asked& asked) {
  return configured(facts, [&asked](const Value& tree) {
    return reading_in(tree, asked.attribute, asked.desired);
  });
}

Map mlag_inventory(const NodeFacts& facts) {
  const Result<std::string_view> text = answer(facts, kMlagProbe);
  const auto mlag = text ? parse_nvue_mlag(*text) : Result<NvueMlag>{text.error()};
  return {{"mlag", mlag ? to_value(*mlag) : Value{Map{{"unknown", mlag.error().message}}}}};
}

// A running pair is not taken apart in passing, and the two ways exclude each other (E-nvue-evpn).
Result<Work> share_bonds(const Change& change, const SwitchFacts& facts) {
  const Value& applied = *facts.applied;
  if (applied.find("mlag") != nullptr || !members_of(applied, kPeerlink).empty())
    return impossible(
        change.resource,
        "the switch is one of an MLAG pair, which has to go before its bonds are shared by "
        "EVPN: nv unset mlag; nv unset interface peerlink");
  Revision revision{applied};
  const std::vector<std::string> on = switched_on(facts.node);
  revision.set({"evpn", "multihoming", on.front(), on.back()});
  if (revision.empty()) return not_in_force(change);
  ActionDraft draft = revision.draft("share bonds with other switches", change);
  // If it is set in a file, the switch's daemon restarts for it: every link may drop.
  for (const NvueInterface& each :
       facts.interfaces ? *facts.interfaces : std::vector<NvueInterface>{})
    if (each.type == "swp") draft.disturbs.push_back(each.name);
  return Work{{std::move(draft)}};
}

Result<Work> revise_mlag(const Change& change, const SwitchFacts& facts) {
  const Value& applied = *facts.applied;
  if (change.attributes.front().attribute == kMultihoming) return share_bonds(change, facts);
  Revision revision{applied};
  std::vector<std::string> disturbed;
  for (const AttributeChange& each : change.attributes) {
    if (!each.activate) continue;
    if (each.attribute == kSystemMac) revision.set({"mlag", "mac-address", to_text(each.desired)});
    if (each.attribute == kBackup) {
      revision.unset({"mlag", "backup"});
      // Over the management network, which has a VRF of its own (E-nvue-mlag).
      revision.set({"mlag", "backup", to_text(each.desired), "vrf", "mgmt"});
    }
    if (each.attribute == kMtu)
      revision.set({"interface", kPeerlink, "link", "mtu", to_text(each.desired)});
    if (each.attribute != kPeerlink || each.desired.as_list() == nullptr) continue;
    std::vector<std::string> ports;
    for (const Value& port : *each.desired.as_list())
      ports.push_back(native_port(to_text(port)));
    for (const std::string& port : members_of(applied, kPeerlink)) {
      if (std::find(ports.begin(), ports.end(), port) == ports.end())
        revision.unset({"interface", kPeerlink, "bond", "member", port});
    }
    for (const std::string& port : ports)
      revision.set({"interface", kPeerlink, "bond", "member", port});
    revision.makes({"interface", "peerlink.4094"});
    disturbed = std::move(ports);
  }
  if (revision.empty()) return not_in_force(change);
  // The two switches find each other by the ports that join them.
  revision.set({"mlag", "peer-ip", "linklocal"});
  ActionDraft draft =
      revision.draft(fmt::format("join MLAG domain {}", change.resource.address.name), change);
  draft.disturbs = std::move(disturbed);
  return Work{{std::move(draft)}};
}

}  // namespace

// The pair that two switches are.
Provider mlag_provider() {
  Provider row = switch_provider("mlag", Disruption::link, mlag_reading, revise_mlag);
  row.probes = probes_of_mlag;
  row.inventory = mlag_inventory;
  row.supports = [](const Resource& /*resource*/, std::string_view feature) {
    return feature == "evpn";
  };
  return row;
}

}  // namespace fabric::providers::nvue
