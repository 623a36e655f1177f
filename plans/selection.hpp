// SPDX-License-Identifier: Apache-2.0
// Selection: which changes get work, what work, and which nodes it disturbs.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/model/rule.hpp"
#include "plans/changes/candidate.hpp"
#include "plans/waves.hpp"

namespace fabric::plans {

struct SelectionInputs {
  const ResourceIndex& resources;
  const discovery::Snapshot& snapshot;
  const Registry& registry;
  const AntiAffinity& apart;
  const Rollout& rollout;
  SourceRange rollout_range;
  // Sets only the values for the next boot of each node; no node boots and nothing is activated.
  bool stage = false;
  Down down{};
  // The machine that fabric runs on, if it is one of the nodes. Its operator reboots it, and until
  // then its changes are staged.
  std::optional<NodeName> own{};
  NotForwarding not_forwarding{};
  // Null where lost paths hold no node back.
  const PathsNow* keep_paths = nullptr;
};

struct ChosenWork {
  std::map<NodeName, NodeWithheld> withheld;  // left unchanged, or staged in place of a reboot
  std::set<NodeName> reboots;
  std::set<NodeName> disturbed;    // rebooted, or a link or driver is interrupted
  std::set<NodeName> away{};       // the disturbed nodes that forward nothing meanwhile
  std::set<NodeName> undisturbed;  // the other nodes that have work
  std::string next_round{};        // Plan::next_round
};

RuleRows selection_rules();  // change-impossible, rollout-withheld

// Gives every candidate its drafts or the reason why it has none. A change that its provider can't
// make is an error. Without errors, every planned candidate has drafts or a reboot. REQUIRES: no
// cycle among the resources.
ChosenWork choose_work(
    Candidates& candidates, const SelectionInputs& inputs, Diagnostics& diagnostics);

}  // namespace fabric::plans
