// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/plan_here.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::report {

namespace {

// In the order in which they are shown.
enum class When : std::uint8_t { before, reboot, after, owed };

std::string_view text_of(When when) {
  switch (when) {
    case When::before:
      return "before_disruption";
    case When::reboot:
      return "reboot";
    case When::after:
      return "after_disruption";
    case When::owed:
      return "after_disruption is owed by a run that was cut short";
  }
  return {};
}

std::string shown(remote::Argv command, const NodeName& node) {
  const bool ends_with_node = command.size() > 1 && command.back() == node.str();
  if (ends_with_node) command.pop_back();
  return remote::command_line(command) + (ends_with_node ? " NODE" : "");
}

}  // namespace

std::vector<std::string> commands_here(const plans::Plan& plan) {
  std::map<std::pair<When, std::string>, std::vector<NodeName>> found;
  for (const plans::Action& action : plan.actions) {
    const remote::Argv command = action.draft.steps.command_here();
    if (command.empty()) continue;
    When when = When::before;
    if (action.draft.kind == methods::kReboot) when = When::reboot;
    if (action.draft.kind == methods::kHookAfter)
      when = action.closes.empty() ? When::owed : When::after;
    found[{when, shown(command, action.node)}].push_back(action.node);
  }
  std::vector<std::string> lines;
  for (auto& [what, nodes] : found) {
    std::sort(nodes.begin(), nodes.end());
    lines.push_back(fmt::format("{} {}: {}", fold(nodes), text_of(what.first), what.second));
  }
  return lines;
}

}  // namespace fabric::report
