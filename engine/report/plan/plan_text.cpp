// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/plan_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/diagnostics/grouping.hpp"
#include "engine/report/plan/action_words.hpp"
#include "engine/report/plan/plan_changes.hpp"

namespace fabric::report {

Diagnostics plan_findings(const plans::Plan& plan, SourceMap& sources) {
  Diagnostics findings;
  for (const plans::PlanDiagnostic& item : plan.diagnostics) {
    const plans::SourceLine& source = item.source;
    SourceRange range;
    if (source.line != 0)
      range = sources.add_place(source.file, {source.line, std::max(source.column, 1U)});
    findings.add({item.severity, item.rule, range, item.message, item.help, {}, item.subject});
  }
  return findings;
}

namespace {

using plans::Plan;
using plans::PlannedChange;
using plans::Withheld;

// Why this plan does not change the resource that others wait for.
std::string why_not(const Plan& plan, const ResourceAddress& address) {
  const auto node = plan.nodes.find(address.node);
  if (node != plan.nodes.end() && !node->second.reachable) {
    return fmt::format(
        ", and {} {}", address.node.str(), node->second.offline ? "is offline" : "was not reached");
  }
  const auto change = std::ranges::find_if(plan.changes, [&address](const PlannedChange& each) {
    return each.address == address && each.withheld;
  });
  if (change == plan.changes.end() || change->withheld->why == Withheld::Why::waits) return {};
  return ", which is withheld: " + plans::withheld_text(*change->withheld);
}

// Without the name of the node itself, so that it is the same for all nodes alike.
std::string reason_of(const Plan& plan, const PlannedChange& change) {
  const Withheld& withheld = *change.withheld;
  const std::string text = plans::withheld_text(withheld, &change.address.node);
  return withheld.why == Withheld::Why::waits ? text + why_not(plan, *withheld.on) : text;
}

// A finding about the whole node says it.
bool is_told_of_node(const Withheld& withheld) {
  return withheld.why == Withheld::Why::rollout || withheld.why == Withheld::Why::own_machine;
}

}  // namespace

std::vector<std::string> withheld_lines(const Plan& plan) {
  using Same = std::tuple<NodeName, Withheld::Why, std::string>;
  std::map<Same, std::vector<std::string>> resources;
  for (const PlannedChange& change : plan.changes) {
    if (!change.withheld || change.kind == ChangeKind::unknown) continue;
    const Withheld::Why why = change.withheld->why;
    if (is_told_of_node(*change.withheld)) continue;
    std::vector<std::string>& names =
        resources[{change.address.node, why, reason_of(plan, change)}];
    std::string name = fmt::format("{}/{}", change.address.kind, change.address.name);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  std::map<std::string, std::vector<NodeName>> nodes;
  for (const auto& [same, names] : resources) {
    const auto& [node, why, reason] = same;
    std::string text = fold(names) + (why == Withheld::Why::waits ? " " : ": ") + reason;
    // The operator asked for it, and it is about the whole node.
    if (why == Withheld::Why::observed) text = reason;
    nodes[std::move(text)].push_back(node);
  }
  std::vector<std::string> lines;
  for (const auto& [reason, of] : nodes)
    lines.push_back(
        fmt::format("{} {} withheld: {}", fold(of), of.size() == 1 ? "is" : "are", reason));
  return lines;
}

namespace {

// The commands of a plan on the machine that fabric runs on: agreeing to a plan means agreeing to
// them.

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
      return "after_disruption (an interrupted run did not run it)";
  }
  return {};
}

std::string shown(remote::Argv command, const NodeName& node) {
  const bool ends_with_node = command.size() > 1 && command.back() == node.str();
  if (ends_with_node) command.pop_back();
  return remote::command_line(command) + (ends_with_node ? " NODE" : "");
}

// One line for each command that runs on the machine of fabric, with its time and its nodes; the
// name of the node at its end is shown as NODE: "pve[1-3] before_disruption: ./drain NODE".
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

using plans::Action;
using plans::Wave;

// More lines of waves than this are cut in the middle.
constexpr std::size_t kWavesShown = 12;
constexpr std::size_t kFirstWavesShown = 4;
constexpr std::size_t kLastWavesShown = 2;
// "Order   " and the like: where the text of a section starts.
constexpr std::size_t kSectionIndent = 9;

Text section(const Text& name, const Text& body, const Style& style) {
  return paint(style, Colour::bold, pad(name, kSectionIndent)) + body + "\n";
}

// One line of a section, broken into several if it is long.
Text section_line(const Text& line, const Style& style) {
  constexpr std::size_t kContinuation = 4;
  return wrap(line, style.width - kSectionIndent, kContinuation);
}

Text section(const Text& name, const std::vector<Text>& lines, const Style& style) {
  if (lines.empty()) return {};
  return section(name, indent_lines(join_texts(lines, "\n"), kSectionIndent), style);
}

// Lines of a section after its first stand under the first.
Text section_indent() {
  return "\n" + Text::blanks(kSectionIndent);
}

// Work before all waves: a node boots or activates it later, or nothing that runs is touched.
struct BeforeWaves {
  std::vector<NodeName> nodes;
  std::vector<std::string> kinds;  // in order of the actions, each once
};

// The second is for nodes without a wave whose addresses change at the next boot.
std::array<BeforeWaves, 2> before_waves(const Plan& plan) {
  std::set<NodeName> in_wave, written;
  for (const Action& action : plan.actions) {
    if (action.wave != 0) in_wave.insert(action.node);
    if (action.draft.kind == methods::kNetworkWrite) written.insert(action.node);
  }
  std::array<BeforeWaves, 2> before;
  for (const Action& action : plan.actions) {
    if (action.wave != 0) continue;
    const bool at_boot = written.contains(action.node) && !in_wave.contains(action.node);
    BeforeWaves& group = before[at_boot ? 1 : 0];
    group.nodes.push_back(action.node);
    const std::string kind{action.draft.kind};
    if (std::ranges::find(group.kinds, kind) == group.kinds.end()) group.kinds.push_back(kind);
  }
  return before;
}

// Waves in a row that do the same to equally many nodes.
struct WaveRun {
  std::uint32_t first = 0, last = 0;
  std::vector<NodeName> nodes;
  std::size_t nodes_each = 0;
  std::string kinds;
  std::string why;
};

std::vector<WaveRun> wave_runs(const Plan& plan, KindsByWave& kinds, bool verbose) {
  std::vector<WaveRun> runs;
  for (const Wave& wave : plan.waves) {
    if (wave.number == 0) continue;
    WaveRun run{
        wave.number,
        wave.number,
        wave.nodes,
        wave.nodes.size(),
        join(kinds[wave.number], ", "),
        wave.why};
    const bool same = !verbose && !runs.empty() && runs.back().kinds == run.kinds &&
                      runs.back().nodes_each == run.nodes_each &&
                      (run.why.empty() || runs.back().why == run.why);
    if (same) {
      runs.back().last = wave.number;
      runs.back().nodes.insert(runs.back().nodes.end(), wave.nodes.begin(), wave.nodes.end());
    } else {
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

Text wave_line(const WaveRun& run, const std::string& why_before, const Style& style) {
  Text line;
  if (run.first == run.last) {
    line = compose("wave {}: {} ({})", run.first, fold(run.nodes), run.kinds);
  } else {
    line = compose(
        "waves {}-{}: {}, {} a wave ({})",
        run.first,
        run.last,
        fold(run.nodes),
        count(run.nodes_each, "node"),
        run.kinds);
  }
  if (!run.why.empty() && run.why != why_before) line += "; " + run.why;
  return section_line(line, style);
}

Text order_text(const Plan& plan, const Style& style) {
  std::vector<Text> lines;
  KindsByWave kinds = kinds_by_wave(plan);
  bool at_boot = false;
  for (const BeforeWaves& group : before_waves(plan)) {
    if (!group.nodes.empty())
      lines.push_back(section_line(
          compose(
              "first: {} ({}){}",
              fold(group.nodes),
              join(group.kinds, ", "),
              at_boot                              ? "; takes effect at the next boot"
              : plan.impact.leaves_subnets_alone() ? "; touches no traffic"
                                                   : ""),
          style));
    at_boot = true;
  }
  const std::vector<WaveRun> runs = wave_runs(plan, kinds, style.verbose);
  std::string why;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool cut = !style.verbose && runs.size() > kWavesShown && i >= kFirstWavesShown &&
                     i + kLastWavesShown < runs.size();
    if (cut && i == kFirstWavesShown) {
      const WaveRun& resumed = runs[runs.size() - kLastWavesShown];
      lines.push_back(compose("... {} more waves ...", resumed.first - runs[i].first));
    }
    if (cut) continue;
    lines.push_back(wave_line(runs[i], why, style));
    why = runs[i].why;
  }
  if (plan.stage && !plan.actions.empty()) {
    lines.push_back(section_line(
        "staged: nothing is activated and no node reboots; the next boot of each node activates "
        "its changes, and no timer rolls them back then",
        style));
  }
  return section("Order", lines, style);
}

// "cx[1-2] LINK_TYPE_P1, cx1 SRIOV_EN": each parameter with the adapters that have it.
std::string cause_text(const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> adapters;
  for (const auto& [adapter, parameter] : parameters) {
    if (!adapters.contains(parameter)) order.push_back(parameter);
    adapters[parameter].push_back(adapter);
  }
  for (std::string& parameter : order)
    parameter = fold(adapters[parameter]) + ' ' + parameter;
  return join(order, ", ");
}

// The settings that force the reboots, once for all nodes with equal settings.
Text reboots_text(const Plan& plan, const Style& style) {
  std::map<NodeName, std::vector<std::pair<std::string, std::string>>> causes;
  for (const plans::PlannedChange& change : plan.changes) {
    const AttributeChange& attribute = change.attribute;
    if (attribute.disruption < Disruption::reboot || !attribute.activate ||
        change.kind == ChangeKind::unknown)
      continue;
    causes[change.address.node].emplace_back(change.address.name, attribute.attribute);
  }
  std::map<std::string, std::vector<NodeName>> by_cause;
  for (const auto& [node, parameters] : causes) {
    const auto planned = plan.nodes.find(node);
    const bool by_hand = planned != plan.nodes.end() && planned->second.own && !plan.stage;
    by_cause[cause_text(parameters) + (by_hand ? ", by hand" : "")].push_back(node);
  }
  std::vector<Text> lines;
  for (const auto& [cause, nodes] : by_cause)
    lines.push_back(section_line(compose("{} for {}", fold(nodes), cause), style));
  return section(plan.stage ? "Waiting" : "Reboots", lines, style);
}

// Each is shown whole: agreeing to the plan means agreeing to them.
Text here_text(const Plan& plan, const Style& style) {
  std::vector<Text> lines;
  for (const std::string& line : commands_here(plan))
    lines.push_back(section_line(line, style));
  return section("Here", lines, style);
}

// The work for a person, once for both ends of a cable.
Text by_hand_text(const Plan& plan, const Style& style) {
  std::vector<Text> lines;
  for (const Action& action : plan.actions) {
    const std::string& what = action.draft.by_hand;
    if (what.empty()) continue;
    const Text text = compose("{} (waits {})", what, format_duration(wait_of(action)));
    Text item = section_line(text, style);
    if (std::ranges::find(lines, item) == lines.end()) lines.push_back(std::move(item));
  }
  return section("By hand", lines, style);
}

Text impact_text(const Plan& plan, const Style& style) {
  const plans::Impact& impact = plan.impact;
  std::vector<Text> parts;
  parts.emplace_back(count(impact.reboots, "reboot"));
  parts.emplace_back(count(impact.link_flaps, "link flap"));
  if (impact.sm_moves != 0) parts.emplace_back(count(impact.sm_moves, "subnet manager move"));
  const plans::Permissions& needed = plan.permissions;
  if (!needed.management_path.nodes.empty())
    parts.push_back(compose("touches the SSH path of {}", fold(needed.management_path.nodes)));
  if (!impact.behind_switches.empty())
    parts.push_back(compose("interrupts {} by their switches", fold(impact.behind_switches)));
  if (!needed.no_rollback.nodes.empty())
    parts.push_back(compose("may cut off {} without a rollback", fold(needed.no_rollback.nodes)));
  for (const plans::MembersMoved& each : impact.members_cut)
    parts.push_back(compose("{} lose contact in {}", fold(each.nodes), each.partition));
  for (const plans::MembersMoved& each : impact.members_joined)
    parts.push_back(compose("{} gain contact in {}", fold(each.nodes), each.partition));
  if (!impact.tables_rewritten.empty())
    parts.push_back(
        compose("rewrites all forwarding tables of {}", join(impact.tables_rewritten, ", ")));
  if (!impact.without_manager.empty())
    parts.push_back(
        compose("leaves {} without a subnet manager", join(impact.without_manager, ", ")));
  if (!impact.addresses_at_boot.empty())
    parts.push_back(
        compose("changes addresses of {} at the next boot", fold(impact.addresses_at_boot)));
  return section("Impact", hang(join_texts(parts, ", "), style.width, kSectionIndent), style);
}

// "--allow-no-rollback leaf-[a-b] (the document grants it on leaf-a, ...)"
Text permission_text(
    const plans::Permission& permission, std::string_view option, bool names_nodes) {
  Text text = names_nodes ? compose("{} {}", option, remote::quote(fold(permission.nodes)))
                          : compose("{}", option);
  if (permission.granted.empty()) return text;
  return text + compose(
                    " (the document grants this on {}: valid in a plan file that "
                    "--require-signature accepts, or where a person answers yes)",
                    fold(permission.granted));
}

Text permissions_text(const Plan& plan, const Style& style) {
  std::vector<Text> options;
  if (!plan.permissions.management_path.nodes.empty())
    options.push_back(
        permission_text(plan.permissions.management_path, "--allow-mgmt-path", false));
  if (!plan.permissions.no_rollback.nodes.empty())
    options.push_back(permission_text(plan.permissions.no_rollback, "--allow-no-rollback", true));
  if (options.empty()) return {};
  const Text text = compose("`apply` must be given ") + join_texts(options, ", ");
  return section("Needs", hang(text, style.width, kSectionIndent), style);
}

Text paths_text(const Plan& plan, const Style& style) {
  std::vector<Text> lines;
  for (const Text& line : lost_paths_lines(plan))
    lines.push_back(section_line(line, style));
  return section("Paths", lines, style);
}

Text undo_text(const Plan& plan, const Style& style) {
  std::size_t changing = 0, reversible = 0;
  std::map<std::string, std::size_t> reasons;
  for (const Action& action : plan.actions) {
    if (action.draft.kind == methods::kHealthCheck) continue;
    ++changing;
    if (action.draft.irreversible.empty()) {
      ++reversible;
    } else {
      ++reasons[action.draft.irreversible];
    }
  }
  Text text = compose("{} of {} can be rolled back", reversible, count(changing, "action"));
  for (const auto& [reason, times] : reasons) {
    text += compose("{}not {}: {}", section_indent(), times, reason);
  }
  return section("Undo", text, style);
}

Text time_text(const Plan& plan, const std::optional<execute::Estimate>& time, const Style& style) {
  if (!time && plan.impact.reboots == 0) return {};
  if (!time) {
    return section(
        "Time", "not known before the first run here; `fabric rehearse` estimates it", style);
  }
  Text text = compose(
      "about {}, by {} here", format_duration(time->time), count(time->runs, "earlier run"));
  if (!time->unseen.empty())
    text += compose(
        "; not counted, because none of these runs had it: {}", join_texts(time->unseen, ", "));
  return section("Time", hang(text, style.width, kSectionIndent), style);
}

Text rounds_text(const Plan& plan, const Style& style) {
  if (plan.next_round.empty()) return {};
  return section(
      "Rounds",
      section_line(
          compose(
              "a further round follows after {}: the changes that need it can be planned only "
              "then. `apply` of the document plans the next round by itself and asks again, `apply "
              "PLANFILE` stops after its own round",
              plan.next_round),
          style),
      style);
}

// The foreign configuration that this plan takes over: once for all nodes that have the same.
Text adopted_text(const Plan& plan, const Style& style) {
  std::map<std::string, std::vector<NodeName>> nodes;
  for (const Action& action : plan.actions) {
    const bool takes_over =
        action.draft.kind == methods::kNetworkAdopt ||
        (action.draft.kind == methods::kManagerWrite && !action.draft.file_preconditions.empty());
    if (takes_over) nodes[action.draft.title].push_back(action.node);
  }
  std::vector<Text> lines;
  for (const auto& [title, of] : nodes)
    lines.push_back(section_line(compose("{}: {}", fold(of), title), style));
  return section("Adopts", lines, style);
}

Text withheld_text(const Plan& plan, const Style& style) {
  constexpr std::size_t kContinuation = 4;
  Text text;
  for (const std::string& line : withheld_lines(plan))
    text += paint(style, Colour::yellow, wrap(line, style.width, kContinuation)) + "\n";
  return text.empty() ? text : text + "\n";
}

// " (ring.yaml:13)"
Text place_text(const SourceRange& range, const SourceMap& sources) {
  if (!is_known(range)) return {};
  const std::uint32_t line = sources.position(range.file, range.begin).line;
  return compose(" ({}:{})", sources.path(range.file), line);
}

}  // namespace

Text plan_header(const Plan& plan, const Style& style) {
  std::size_t asked = 0, reached = 0;
  std::vector<NodeName> offline, outside, own;
  for (const auto& [name, node] : plan.nodes) {
    if (node.own) own.push_back(name);
    if (node.offline) offline.push_back(name);
    if (node.outside) outside.push_back(name);
    if (node.offline || node.outside) continue;
    ++asked;
    reached += node.reachable ? 1 : 0;
  }
  Text text = compose(
      "{}: {}, {} reached",
      paint(style, Colour::bold, plan.fabric),
      count(asked, "node"),
      reached == asked ? "all" : std::to_string(reached));
  if (!offline.empty()) text += compose("; offline: {}", fold(offline));
  if (!outside.empty()) text += compose("; down outside of --limit: {}", fold(outside));
  if (!own.empty()) text += compose("; this machine: {}", fold(own));
  if (!plan.undoes.empty()) text += compose("; undoes {}", plan.undoes);
  return text + "\n\n";
}

Text plan_findings_text(const Plan& plan, const Style& style) {
  SourceMap sources;
  const Diagnostics findings = plan_findings(plan, sources);
  Text text;
  for (const FindingGroup& group :
       style.verbose ? single_findings(findings) : group_findings(findings)) {
    const Diagnostic& shown = findings.items()[group.members.front()];
    const Colour colour = shown.severity == Severity::error ? Colour::red : Colour::yellow;
    const Text line = compose(
        "{}[{}]: {}{}",
        to_string(shown.severity),
        shown.rule,
        shown.message,
        place_text(shown.range, sources));
    text += paint(style, colour, wrap(line, style.width, 4)) + "\n";
    const std::string others = others_text(group, findings);
    if (!others.empty()) text += "    " + wrap(others, style.width - 4, 4) + "\n";
    if (!shown.help.empty())
      text += "    " + wrap(compose("help: {}", shown.help), style.width - 4, 4) + "\n";
  }
  return text.empty() ? text : text + "\n";
}

std::string plan_summary(const Plan& plan) {
  const plans::Summary& summary = plan.summary;
  std::string line = fmt::format(
      "Plan: {} to add, {} to change, {} to remove", summary.add, summary.change, summary.remove);
  if (summary.unknown != 0) line += fmt::format(", {} unknown", summary.unknown);
  if (summary.withheld != 0) line += fmt::format(", {} withheld", summary.withheld);
  if (plan.impact.reboots != 0) {
    const auto waves = static_cast<std::size_t>(
        std::ranges::count_if(plan.waves, [](const Wave& wave) { return wave.number != 0; }));
    line += fmt::format("; {} in {}", count(plan.impact.reboots, "reboot"), count(waves, "wave"));
  }
  return line + '.';
}

std::string plan_verdict(const Plan& plan) {
  if (!plan.empty()) return plan_summary(plan);
  if (!plan.undoes.empty() && plan.complete())
    return fmt::format("No changes: nothing of run {} is left to undo.", plan.undoes);
  return plan.complete() ? "No changes: the fabric is what the document says."
                         : "No changes are known to be needed, but not every node could be asked.";
}

Text order_and_impact(
    const Plan& plan, const Style& style, const std::optional<execute::Estimate>& time) {
  return rounds_text(plan, style) + order_text(plan, style) + adopted_text(plan, style) +
         reboots_text(plan, style) + here_text(plan, style) + by_hand_text(plan, style) +
         impact_text(plan, style) + permissions_text(plan, style) + paths_text(plan, style) +
         undo_text(plan, style) + time_text(plan, time, style);
}

Text plan_text(const Plan& plan, const Style& style, const std::optional<execute::Estimate>& time) {
  Text text = plan_header(plan, style);
  text += changes_text(plan, style);
  text += withheld_text(plan, style);
  if (!plan.actions.empty()) text += order_and_impact(plan, style, time) + "\n";
  text += plan_findings_text(plan, style);
  const Colour colour = !plan.empty()     ? Colour::bold
                        : plan.complete() ? Colour::green
                                          : Colour::yellow;
  return text + paint(style, colour, plan_verdict(plan)) + "\n";
}

}  // namespace fabric::report
