// SPDX-License-Identifier: Apache-2.0
// The facts of a switch with NVUE that can be written into a document.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/nvue/kinds/rows.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"

namespace fabric::providers::nvue {

namespace {

constexpr const char* kPeerlink = "peerlink";

class SeenSwitchReader {
 public:
  explicit SeenSwitchReader(const NodeFacts& facts) : facts_{facts}, found_{facts} {}

  SeenNode read() {
    seen_.name = facts_.node.str();
    seen_.node.is_switch = true;
    seen_.node.platform = to_string(facts_.platform);
    if (!found_.applied || !found_.interfaces) {
      const Error& why = !found_.applied ? found_.applied.error() : found_.interfaces.error();
      seen_.node.notes.push_back(
          "CHANGE: the configuration of this switch could not be read: " + why.message);
      return std::move(seen_);
    }
    for (const NvueInterface& each : *found_.interfaces)
      if (each.type == "swp" || each.type == "ib") read_port(each);
    read_pair();
    read_manager();
    if (const auto text = answer(facts_, kRoceProbe)) {
      const auto roce = parse_nvue_roce(*text);
      if (roce && !roce->mode.empty())
        seen_.node.notes.push_back(fmt::format(
            "the switch runs RoCE in mode {}: write `qos` in its networks to keep that",
            roce->mode));
    }
    return std::move(seen_);
  }

 private:
  void read_port(const NvueInterface& each) {
    SeenSwitchPort& added = seen_.switch_ports.emplace_back();
    added.port = each.name;
    added.infiniband = each.type == "ib";
    added.has_link = added.infiniband ? each.physical_state == "LinkUp" : each.state == "up";
    const Value& applied = *found_.applied;
    const std::string bond = bond_with(applied, each.name);
    if (!bond.empty() && bond != kPeerlink) {
      const Value* mode = nvue_find(applied, {"interface", bond, "bond", "mode"});
      added.channel = mode != nullptr && nvue_word(mode) == "static" ? "static" : "lacp";
    }
    const Value* segment =
        nvue_find(applied, {"interface", bond, "evpn", "multihoming", "segment"});
    if (!bond.empty() && is_on(segment)) read_segment(each.name, *segment);
    const std::string carries = bond.empty() ? each.name : bond;
    const Value* access = nvue_find(
        applied, {"interface", carries, "bridge", "domain", bridge_domain(applied), "access"});
    const auto id = access == nullptr ? std::nullopt : parse_integer(to_text(*access));
    if (id && *id > 1) added.access_vlan = static_cast<std::uint32_t>(*id);
  }

  // Each bond may have an address of its own, and the document has one for a switch.
  void read_segment(const std::string& port, const Value& segment) {
    const std::string mac = to_lower(nvue_word(segment.find("mac-address")));
    if (shared_.segments.empty()) shared_.system_mac = mac;
    if (shared_.system_mac != mac)
      seen_.node.notes.push_back(fmt::format(
          "CHANGE: the bond of {} has the address {}, but other bonds have {}",
          port,
          mac,
          shared_.system_mac));
    shared_.segments[port] = nvue_word(segment.find("local-id"));
  }

  void read_pair() {
    if (!shared_.segments.empty()) {
      seen_.node.mlag.push_back(std::move(shared_));
      return;
    }
    const std::vector<std::string> members = members_of(*found_.applied, kPeerlink);
    if (members.empty()) return;
    description::Mlag mlag;
    mlag.ipl = members;
    if (const Value* mac = nvue_find(*found_.applied, {"mlag", "mac-address"}))
      mlag.system_mac = to_lower(nvue_word(mac));
    const Map& peers = or_null(nvue_find(*found_.applied, {"mlag", "backup"})).members();
    if (!peers.empty()) mlag.backup = peers.begin()->first;
    seen_.node.mlag.push_back(std::move(mlag));
  }

  void read_manager() {
    const auto text = answer(facts_, kManagerProbe);
    const auto tree = text ? parse_nvue_json(*text) : Result<Value>{text.error()};
    if (!tree) return;
    const std::string running = to_lower(nvue_word(tree->find("is-running")));
    const std::string state = to_lower(nvue_word(tree->find("state")));
    const bool runs = running.empty() ? state == "enabled" : running == "yes" || running == "true";
    if (!runs) return;
    SeenManager manager;
    manager.of_switch = true;
    manager.manager.at = {seen_.name, "", ""};
    manager.manager.priority = parse_integer(nvue_word(tree->find("sm-priority"))).value_or(0);
    seen_.managers.push_back(std::move(manager));
  }

  const NodeFacts& facts_;
  SwitchFacts found_;
  SeenNode seen_;
  description::Mlag shared_;
};

}  // namespace

SeenNode see_switch(const NodeFacts& facts) {
  return SeenSwitchReader{facts}.read();
}

}  // namespace fabric::providers::nvue
