// SPDX-License-Identifier: Apache-2.0
#include "plans/plan_check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "plans/plan_file.hpp"

namespace fabric::plans {

namespace {

bool is_minor_of_three(std::string_view version) {
  constexpr std::string_view kMajor = "3.";
  return version.starts_with(kMajor) && parse_unsigned(version.substr(kMajor.size()), 10);
}

std::string check_edges(const Plan& plan) {
  std::map<std::string_view, const Action*> earlier;
  for (const Action& action : plan.actions) {
    for (const auto* list : {&action.needs, &action.after}) {
      for (const std::string& id : *list) {
        const auto found = earlier.find(id);
        if (found == earlier.end()) {
          return fmt::format(
              "action {} waits for '{}', which does not stand before it", action.id, id);
        }
        if (found->second->wave > action.wave) {
          return fmt::format("action {} waits for {}, which is of a later wave", action.id, id);
        }
      }
    }
    if (action.id.empty() || !earlier.emplace(action.id, &action).second) {
      return fmt::format("the action id '{}' is not unique", action.id);
    }
  }
  return {};
}

std::string check_hooks(const Plan& plan) {
  std::map<std::string_view, const Action*> earlier;
  for (const Action& action : plan.actions) {
    earlier.emplace(action.id, &action);
    const std::string& kind = action.draft.kind;
    if (!action.draft.steps.command_here().empty() && kind != methods::kHookBefore &&
        kind != methods::kHookAfter && kind != methods::kReboot) {
      return fmt::format("action {} runs on this machine, but only a hook may", action.id);
    }
    if (action.closes.empty()) continue;
    const auto opener = earlier.find(action.closes);
    const bool fits = opener != earlier.end() && opener->second->node == action.node &&
                      opener->second->draft.kind == methods::kHookBefore &&
                      action.draft.kind == methods::kHookAfter && action.needs.empty();
    if (!fits)
      return fmt::format("action {} does not end what '{}' begins", action.id, action.closes);
  }
  return {};
}

std::string check_covers(const Plan& plan) {
  std::set<ResourceAddress> covered;
  for (const Action& action : plan.actions) {
    for (const ResourceAddress& address : action.covers) {
      if (address.node != action.node) {
        return fmt::format(
            "action {} of {} covers {}", action.id, action.node.str(), address.str());
      }
      covered.insert(address);
    }
  }
  for (const PlannedChange& change : plan.changes) {
    if (change.withheld || covered.contains(change.address)) continue;
    return fmt::format(
        "no action covers the change of {} {}", change.address.str(), change.attribute.attribute);
  }
  return {};
}

std::string check_reboots(const Plan& plan) {
  std::map<NodeName, const Action*> reboots;
  for (const Action& action : plan.actions) {
    if (action.draft.kind != methods::kReboot) {
      if (action.sequence.empty()) continue;
      return fmt::format("action {} has a sequence of boots, but only a reboot may", action.id);
    }
    const std::size_t ways = action.draft.steps.size() + (action.draft.by_hand.empty() ? 0 : 1);
    if (ways != 1) return fmt::format("reboot {} must be one command, or be by hand", action.id);
    const auto [first, is_first] = reboots.emplace(action.node, &action);
    if (is_first || (!action.sequence.empty() && action.sequence == first->second->sequence))
      continue;
    return fmt::format(
        "{} is rebooted twice, by {} and {}", action.node.str(), first->second->id, action.id);
  }
  return {};
}

// Work that a rollback timer can't hold back (platform::RollbackTimer::holds_back) is planned with
// none.
std::string check_guards(const Plan& plan) {
  for (const Action& action : plan.actions) {
    if (action.guard > Duration{0} && action.draft.steps.has_copies())
      return fmt::format("action {} copies a file behind a rollback timer", action.id);
    // The node boots by itself.
    const WorkSteps& undo = action.draft.undo;
    const bool by_itself = std::all_of(undo.begin(), undo.end(), [](const remote::Step& step) {
      return std::holds_alternative<remote::step::WriteFile>(step) ||
             std::holds_alternative<remote::step::RemoveFile>(step) ||
             std::holds_alternative<remote::step::Run>(step);
    });
    if (action.guard > Duration{0} && !by_itself)
      return fmt::format(
          "action {} is rolled back by the node, but no timer can run a step of its `undo`",
          action.id);
  }
  return {};
}

std::string check_waves(const Plan& plan) {
  std::map<std::uint32_t, std::set<NodeName>> nodes_of;
  std::uint32_t expected = 1;
  for (const Wave& wave : plan.waves) {
    if (wave.number != expected++) return fmt::format("wave {} is out of order", wave.number);
    nodes_of[wave.number].insert(wave.nodes.begin(), wave.nodes.end());
  }
  std::map<std::pair<std::uint32_t, std::string_view>, const Action*> holders;
  for (const Action& action : plan.actions) {
    if (action.draft.disruption < Disruption::traffic) continue;
    if (!nodes_of[action.wave].contains(action.node)) {
      return fmt::format(
          "action {} interrupts {}, which its wave does not name", action.id, action.node.str());
    }
    for (const std::string& mutex : action.mutex) {
      const auto [holder, is_first] =
          holders.emplace(std::pair{action.wave, std::string_view{mutex}}, &action);
      if (is_first || holder->second->node == action.node) continue;
      return fmt::format(
          "wave {} has both {} and {}, which share {}",
          action.wave,
          holder->second->node.str(),
          action.node.str(),
          mutex);
    }
  }
  return {};
}

}  // namespace

std::string find_contradiction(const Plan& plan) {
  for (const auto check :
       {check_edges, check_hooks, check_covers, check_reboots, check_guards, check_waves}) {
    if (std::string found = check(plan); !found.empty()) return found;
  }
  return {};
}

// "4.0", "10.1": written by a fabric that is newer than this one.
bool is_after_three(std::string_view version) {
  const auto major = parse_unsigned(version.substr(0, version.find('.')), 10);
  return major && *major > 3;
}

Error not_understood(const Value& root, Error error) {
  const std::string version = root.string_or_empty("format_version");
  if (version != kFormatVersion) {
    error.message += fmt::format(
        "; the plan is of version {} and this fabric reads {}: use a newer fabric",
        version,
        kFormatVersion);
  }
  return error;
}

Result<void> check_version(const Value& root) {
  const std::string version = root.string_or_empty("format_version");
  if (is_minor_of_three(version)) return {};
  if (version.empty())
    return Error{ErrorCode::invalid, "format_version: missing; this is no plan file"};
  return Error{
      ErrorCode::invalid,
      fmt::format(
          "format_version: this fabric reads 3.x, the plan is of version {}: {}",
          version,
          is_after_three(version) ? "use a newer fabric" : "plan again")};
}

}  // namespace fabric::plans
