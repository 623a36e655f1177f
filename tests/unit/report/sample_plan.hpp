// SPDX-License-Identifier: Apache-2.0
// A plan made by hand: two nodes of a ring, as short as shows everything.
#pragma once

#include "plans/plan.hpp"

namespace fabric::report::test {

inline NodeName name(const std::string& text) {
  return *NodeName::parse(text);
}

inline plans::PlannedChange change(
    const ResourceAddress& address,
    const std::string& attribute,
    LayeredReading observed,
    Value desired,
    std::uint32_t line) {
  plans::PlannedChange planned{address, ChangeKind::update, {}, {"fabric.yaml", line, 5}};
  planned.attribute.attribute = attribute;
  planned.attribute.observed = std::move(observed);
  planned.attribute.desired = std::move(desired);
  planned.attribute.write = planned.attribute.activate = true;
  return planned;
}

inline void add_node(
    plans::Plan& plan, const std::string& node, std::uint32_t wave, const std::string& address) {
  plan.nodes[name(node)] = {};
  plans::PlannedChange mode = change(
      {name(node), "settings", "cx5"},
      "HOST_CHAINING_MODE",
      {Reading::unknown("no Current column"), Reading::of(0), {}},
      1,
      7);
  mode.attribute.disruption = Disruption::reboot;
  mode.attribute.reason = "mode chain";
  plan.changes.push_back(change(
      {name(node), "interface", "cx5.1"},
      "addresses",
      {Reading::of(List{}), {}, Reading::absent()},
      List{address},
      9));
  plan.changes.push_back(change(
      {name(node), "interface", "cx5.1"},
      "mtu",
      {Reading::of(1500), {}, Reading::absent()},
      9000,
      8));
  plan.changes.push_back(mode);
  const std::string set = "a" + std::to_string(plan.actions.size() + 1);
  plans::Action action{set, name(node), 0, {}, {}, {}, {}, {}, {}};
  action.draft.kind = "settings.set";
  action.draft.title = "set HOST_CHAINING_MODE=1 on cx5";
  action.draft.steps.write({"/var/lib/fabric/it's", "armed\n", 0600, "root:root"});
  action.draft.steps.run({"mstconfig", "-y", "-d", "0000:01:00.0", "set", "HOST_CHAINING_MODE=1"});
  plan.actions.push_back(action);
  plans::Action reboot{
      "a" + std::to_string(plan.actions.size() + 1), name(node), wave, {set}, {}, {}, {}, {}, {}};
  reboot.draft.kind = "reboot";
  reboot.draft.steps.run({"systemctl", "reboot"});
  reboot.draft.title = "reboot " + node;
  reboot.draft.irreversible = "a reboot can't be rolled back";
  plan.actions.push_back(reboot);
  plan.waves.push_back({wave, {name(node)}, "ring storage: neighbours never together"});
}

inline plans::Plan two_nodes() {
  plans::Plan plan;
  plan.fabric = "pve-ring";
  add_node(plan, "pve1", 1, "10.30.0.1/24");
  add_node(plan, "pve2", 2, "10.30.0.3/24");
  plan.summary = {0, 6, 0, 0};
  plan.impact.reboots = 2;
  plan.impact.link_flaps = 4;
  return plan;
}

}  // namespace fabric::report::test
