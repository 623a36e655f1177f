// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/report/diagnostics/text.hpp"
#include "engine/report/html/page.hpp"
#include "engine/report/html/pages.hpp"
#include "engine/report/plan/plan_changes.hpp"
#include "engine/report/plan/plan_text.hpp"

namespace fabric::report {

namespace {

using plans::Action;
using plans::Plan;
using plans::PlannedChange;
using plans::PlanNode;

DrawnState state_of(const PlannedChange& change) {
  if (change.kind == ChangeKind::unknown) return DrawnState::unknown;
  return change.withheld ? DrawnState::wrong : DrawnState::changing;
}

std::string_view words_of(DrawnState state) {
  if (state == DrawnState::unknown) return "it is not known whether it changes";
  if (state == DrawnState::changing) return "changes";
  if (state == DrawnState::wrong) return "differs, and this plan leaves it";
  if (state == DrawnState::unasked) return "no end was asked";
  return {};
}

std::string place_text(const plans::SourceLine& source) {
  return source.line == 0 ? std::string{} : fmt::format("{}:{}", source.file, source.line);
}

bool reboots(const PlannedChange& change) {
  return change.attribute.disruption >= Disruption::reboot && change.attribute.activate;
}

void add_change(DrawnSection& section, const PlannedChange& change) {
  const std::string title = change.address.kind + "/" + change.address.name;
  if (section.entries.empty() || section.entries.back().title != title) {
    const Symbol mark = symbol(change.kind, reboots(change));
    section.entries.push_back({title, std::string{mark.text}, std::string{mark.meaning}});
  }
  std::vector<std::string> why;
  for (const std::string& part :
       {place_text(change.source),
        change.attribute.reason,
        change.withheld ? plans::withheld_text(*change.withheld) : std::string{}}) {
    if (!part.empty()) why.push_back(part);
  }
  section.entries.back().lines.push_back(
      {change.attribute.attribute, change_text(change), fmt::format("{}", fmt::join(why, "; "))});
}

DrawnEntry entry_of(const Action& action) {
  DrawnEntry entry{
      action.draft.title, action.wave == 0 ? "first" : fmt::format("wave {}", action.wave), ""};
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) entry.lines.push_back({name, text, ""});
  };
  if (action.draft.disruption != Disruption::none)
    add("interrupts", std::string{to_string(action.draft.disruption)});
  add("by hand", action.draft.by_hand);
  add("no rollback", action.draft.irreversible);
  return entry;
}

void tell_node(DrawnNode& drawn, const PlanNode& node) {
  if (node.offline) {
    Drawing::worsen(drawn.state, DrawnState::unasked);
    drawn.notes.emplace_back("Known to be down: fabric does not contact it.");
  } else if (!node.reachable) {
    Drawing::worsen(drawn.state, DrawnState::unknown);
    drawn.notes.push_back("Not reached: " + node.failure);
  }
  if (node.outside) drawn.notes.emplace_back("Outside of --limit: nothing is planned here.");
  if (node.own) drawn.notes.emplace_back("The machine that fabric runs on.");
  if (!node.withheld.why.empty()) {
    Drawing::worsen(drawn.state, DrawnState::wrong);
    drawn.notes.push_back("Withheld: " + node.withheld.why);
    if (!node.withheld.release.empty()) drawn.notes.push_back(node.withheld.release);
  }
}

// For each node: the planned state of its resources, by their names: "cx5.1", "cx5", "7".
using StatesByName = std::map<std::string, std::map<std::string, DrawnState>, std::less<>>;

void tell_changes(Drawing& drawing, const Plan& plan, StatesByName& states) {
  std::map<std::string, DrawnSection> sections;
  for (const PlannedChange& change : plan.changes) {
    const std::string& node = change.address.node.str();
    DrawnNode* drawn = drawing.find(node);
    if (drawn == nullptr) continue;
    const DrawnState state = state_of(change);
    Drawing::worsen(drawn->state, state);
    Drawing::worsen(states[node][change.address.name], state);
    const auto known = plan.nodes.find(change.address.node);
    // A note has the reason; the changes of such a node are unknown.
    if (known != plan.nodes.end() && !known->second.reachable) continue;
    DrawnSection& section = sections[node];
    section.title = "Changes";
    add_change(section, change);
  }
  for (auto& [node, section] : sections)
    drawing.find(node)->sections.push_back(std::move(section));
}

void tell_actions(Drawing& drawing, const Plan& plan) {
  std::map<std::string, DrawnSection> sections;
  for (const Action& action : plan.actions) {
    DrawnNode* drawn = drawing.find(action.node.str());
    if (drawn == nullptr) continue;
    // For a host behind a switch that changes, or with a gate: it has work too.
    DrawnSection& section = sections[action.node.str()];
    section.title = "Done here, in this order";
    section.entries.push_back(entry_of(action));
  }
  for (auto& [node, section] : sections)
    drawing.find(node)->sections.push_back(std::move(section));
}

// The planned state of the port or of its adapter.
DrawnState state_at(const std::map<std::string, DrawnState>& states, const std::string& port_text) {
  const std::size_t slash = port_text.find('/');
  const std::string adapter = port_text.substr(0, slash);
  const std::string port =
      slash == std::string::npos ? port_text : adapter + "." + port_text.substr(slash + 1);
  DrawnState worst = DrawnState::fine;
  for (const auto& [name, state] : states) {
    const bool is_here = name == port || name == port_text || name == adapter ||
                         name.starts_with(port + ".") || name.starts_with(port + "-");
    if (is_here) Drawing::worsen(worst, state);
  }
  return worst;
}

void tell_cables(Drawing& drawing, const Plan& plan, const StatesByName& states) {
  for (DrawnCable& cable : drawing.cables) {
    std::size_t unasked = 0;
    for (const auto& [index, port] :
         {std::pair{cable.a, &cable.a_port}, std::pair{cable.b, &cable.b_port}}) {
      const DrawnNode& node = drawing.nodes[index];
      const auto name = NodeName::parse(node.name);
      const auto known = name ? plan.nodes.find(*name) : plan.nodes.end();
      if (known == plan.nodes.end() || known->second.offline) {
        ++unasked;
      } else if (!known->second.reachable) {
        Drawing::worsen(cable.state, DrawnState::unknown);
      }
      if (node.state == DrawnState::wrong && known == plan.nodes.end())
        Drawing::worsen(cable.state, DrawnState::wrong);
      const auto planned = states.find(node.name);
      if (planned != states.end()) Drawing::worsen(cable.state, state_at(planned->second, *port));
    }
    if (unasked == 2) Drawing::worsen(cable.state, DrawnState::unasked);
    cable.words = words_of(cable.state);
  }
}

void tell_waves(Drawing& drawing, const Plan& plan) {
  std::map<std::uint32_t, std::vector<std::pair<std::string, std::vector<std::string>>>> work;
  std::map<std::uint32_t, std::vector<NodeName>> nodes;
  for (const Action& action : plan.actions) {
    nodes[action.wave].push_back(action.node);
    auto& kinds = work[action.wave];
    auto known = std::ranges::find_if(
        kinds, [&](const auto& each) { return each.first == action.draft.kind; });
    if (known == kinds.end()) known = kinds.insert(kinds.end(), {action.draft.kind, {}});
    known->second.push_back(action.node.str());
  }
  std::map<std::uint32_t, std::string> why;
  for (const plans::Wave& wave : plan.waves)
    why[wave.number] = wave.why;
  for (const auto& [number, kinds] : work) {
    DrawnWave wave{
        number == 0 ? "First, and without interrupting any host" : fmt::format("Wave {}", number),
        why[number],
        drawing.indexes(nodes[number]),
        {}};
    for (const auto& [kind, names] : kinds) {
      const std::set<std::string> once{names.begin(), names.end()};
      wave.work.push_back({kind, fold(std::vector<std::string>{once.begin(), once.end()}), ""});
    }
    drawing.waves.push_back(std::move(wave));
  }
}

void tell_plan(Drawing& drawing, const Plan& plan) {
  for (DrawnNode& node : drawing.nodes) {
    const auto name = NodeName::parse(node.name);
    const auto known = name ? plan.nodes.find(*name) : plan.nodes.end();
    if (known != plan.nodes.end()) {
      tell_node(node, known->second);
    } else if (node.state == DrawnState::fine) {
      node.state = DrawnState::unasked;
      node.notes.emplace_back("Not asked: the plan does not cover it.");
    }
  }
  StatesByName states;
  tell_changes(drawing, plan, states);
  tell_actions(drawing, plan);
  tell_cables(drawing, plan, states);
  tell_waves(drawing, plan);
}

std::vector<NodeName> nodes_of(const Plan* plan) {
  std::vector<NodeName> names;
  if (plan == nullptr) return names;
  for (const auto& [name, node] : plan->nodes)
    names.push_back(name);
  return names;
}

constexpr std::size_t kWidth = 100;

}  // namespace

Drawing plan_drawing(const PlannedFabric& planned) {
  const Style style{false, kWidth, false};
  Drawing drawing =
      planned.spec == nullptr ? Drawing{nodes_of(planned.plan)} : Drawing{*planned.spec};
  drawing.kind = "plan";
  drawing.legend = {
      {DrawnState::fine, "as the document says"},
      {DrawnState::unasked, "not asked"},
      {DrawnState::changing, "to change"},
      {DrawnState::unknown, "unknown"},
      {DrawnState::wrong, "differs, and is left"}};
  if (planned.plan == nullptr) {
    drawing.title = "fabric: no plan could be made";
    drawing.verdict = "No plan could be made: " + diagnostics_summary(planned.findings) + ".";
    drawing.text = diagnostics_text(planned.findings, planned.sources, style).str();
    drawing.legend = {{DrawnState::fine, "no finding is about it"}, {DrawnState::wrong, "wrong"}};
    drawing.set_findings(planned.findings, planned.sources);
    for (const Diagnostic& finding : planned.findings.items()) {
      if (finding.severity != Severity::error) continue;
      for (const std::size_t node : drawing.named_in(finding.message))
        drawing.nodes[node].state = DrawnState::wrong;
    }
    return drawing;
  }
  const Plan& plan = *planned.plan;
  drawing.title = fmt::format("fabric plan: {}", plan.fabric);
  drawing.text = plan_text(plan, style, planned.time).str();
  drawing.verdict = plan_verdict(plan);
  SourceMap of_plan;
  drawing.set_findings(plan_findings(plan, of_plan), of_plan);
  tell_plan(drawing, plan);
  return drawing;
}

std::string plan_page(const PlannedFabric& planned) {
  return html_page(plan_drawing(planned).value());
}

}  // namespace fabric::report
