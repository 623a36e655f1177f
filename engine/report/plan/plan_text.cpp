#include "engine/report/plan/plan_text.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/disruption_hooks.hpp"
#include "engine/report/folding/findings.hpp"
#include "engine/report/plan/action_words.hpp"
#include "engine/report/plan/plan_changes.hpp"
#include "engine/report/plan/plan_findings.hpp"
#include "plans/health_gates.hpp"

namespace fabric::report {

namespace {

using plans::Action;
using plans::Plan;
using plans::Wave;

// More lines of waves than this are cut in the middle.
constexpr std::size_t kWavesShown = 12;
constexpr std::size_t kFirstWavesShown = 4;
constexpr std::size_t kLastWavesShown = 2;
// "Order   " and the like: where the text of a section starts.
constexpr std::size_t kSectionIndent = 9;

std::string header(const Plan& plan, const Style& style) {
  std::size_t reached = 0;
  for (const auto& [name, node] : plan.nodes)
    reached += node.reachable ? 1 : 0;
  return fmt::format(
      "{}: {}, {} reached\n\n",
      paint(style, Colour::bold, plan.fabric),
      count(plan.nodes.size(), "node"),
      reached == plan.nodes.size() ? "all" : std::to_string(reached));
}

std::string section(std::string_view name, std::string_view body, const Style& style) {
  return paint(style, Colour::bold, pad(name, kSectionIndent)) + std::string{body} + "\n";
}

std::string section_indent() {
  return '\n' + std::string(kSectionIndent, ' ');
}

// What is done in a wave, as kinds in order of plan: "settings.set, reboot".
std::string kinds_of(const Plan& plan, std::uint32_t wave) {
  std::vector<std::string> kinds;
  for (const Action& action : plan.actions) {
    const bool known = std::find(kinds.begin(), kinds.end(), action.draft.kind) != kinds.end();
    if (action.wave == wave && !known) kinds.push_back(action.draft.kind);
  }
  return join(kinds, ", ");
}

std::vector<NodeName> nodes_before_waves(const Plan& plan) {
  std::vector<NodeName> nodes;
  for (const Action& action : plan.actions) {
    if (action.wave == 0) nodes.push_back(action.node);
  }
  return nodes;
}

// Waves in a row that do the same to equally many nodes.
struct WaveRun {
  std::uint32_t first = 0, last = 0;
  std::vector<NodeName> nodes;
  std::size_t nodes_each = 0;
  std::string kinds;
  std::string why;
};

std::vector<WaveRun> wave_runs(const Plan& plan, bool verbose) {
  std::vector<WaveRun> runs;
  for (const Wave& wave : plan.waves) {
    if (wave.number == 0) continue;
    WaveRun run{
        wave.number,
        wave.number,
        wave.nodes,
        wave.nodes.size(),
        kinds_of(plan, wave.number),
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

std::string wave_line(const WaveRun& run, const std::string& why_before, const Style& style) {
  std::string line;
  if (run.first == run.last) {
    line = fmt::format("wave {}: {} ({})", run.first, fold(run.nodes), run.kinds);
  } else {
    line = fmt::format(
        "waves {}-{}: {}, {} a wave ({})",
        run.first,
        run.last,
        fold(run.nodes),
        count(run.nodes_each, "node"),
        run.kinds);
  }
  if (!run.why.empty() && run.why != why_before) line += "; " + run.why;
  return wrap(line, style.width - kSectionIndent, 4);
}

// Lines of a section after its first stand under the first.
std::string hang(std::string text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    text.insert(at + 1, std::string(kSectionIndent, ' '));
  }
  return text;
}

std::string order_text(const Plan& plan, const Style& style) {
  std::vector<std::string> lines;
  const std::vector<NodeName> before = nodes_before_waves(plan);
  if (!before.empty()) {
    lines.push_back(wrap(
        fmt::format("first: {} ({}); touches no traffic", fold(before), kinds_of(plan, 0)),
        style.width - kSectionIndent,
        4));
  }
  const std::vector<WaveRun> runs = wave_runs(plan, style.verbose);
  std::string why;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool cut = !style.verbose && runs.size() > kWavesShown && i >= kFirstWavesShown &&
                     i + kLastWavesShown < runs.size();
    if (cut && i == kFirstWavesShown) {
      const WaveRun& resumed = runs[runs.size() - kLastWavesShown];
      lines.push_back(fmt::format("... {} more waves ...", resumed.first - runs[i].first));
    }
    if (cut) continue;
    lines.push_back(wave_line(runs[i], why, style));
    why = runs[i].why;
  }
  if (plan.stage && !plan.actions.empty()) {
    lines.push_back(wrap(
        "staged: nothing is activated and nobody reboots; the next boot of each node brings it "
        "into "
        "force, and no timer rolls it back then",
        style.width - kSectionIndent,
        4));
  }
  if (lines.empty()) return {};
  return section("Order", hang(join(lines, "\n")), style);
}

// Which settings force the reboots, once for all nodes that have the same.
std::string reboots_text(const Plan& plan, const Style& style) {
  std::map<NodeName, std::string> causes;
  for (const plans::PlannedChange& change : plan.changes) {
    const AttributeChange& attribute = change.attribute;
    if (attribute.disruption < Disruption::reboot || !attribute.activate ||
        change.kind == ChangeKind::unknown)
      continue;
    std::string& cause = causes[change.address.node];
    if (!cause.empty()) cause += ", ";
    cause += fmt::format("{} {}", change.address.name, attribute.attribute);
  }
  std::map<std::string, std::vector<NodeName>> by_cause;
  for (const auto& [node, cause] : causes)
    by_cause[cause].push_back(node);
  std::vector<std::string> lines;
  for (const auto& [cause, nodes] : by_cause) {
    lines.push_back(
        wrap(fmt::format("{} for {}", fold(nodes), cause), style.width - kSectionIndent, 4));
  }
  if (lines.empty()) return {};
  return section(plan.stage ? "Waiting" : "Reboots", hang(join(lines, "\n")), style);
}

// Around what, and who is owed one from before.
std::string hooks_text(const Plan& plan, const Style& style) {
  std::vector<NodeName> around;
  std::vector<NodeName> owed;
  for (const Action& action : plan.actions) {
    if (action.draft.kind == methods::kHookBefore) around.push_back(action.node);
    if (action.draft.kind == methods::kHookAfter && action.closes.empty())
      owed.push_back(action.node);
  }
  std::vector<std::string> lines;
  const auto put = [&](std::vector<NodeName>& nodes, std::string_view what) {
    if (nodes.empty()) return;
    std::sort(nodes.begin(), nodes.end());
    lines.push_back(
        wrap(fmt::format("{}: {}", fold(nodes), what), style.width - kSectionIndent, 4));
  };
  put(around, "run on this machine, around the disruption");
  put(owed, "after_disruption is owed by a run that was cut short");
  if (lines.empty()) return {};
  return section("Hooks", hang(join(lines, "\n")), style);
}

// What a person is asked for, once for both ends of a cable.
std::string by_hand_text(const Plan& plan, const Style& style) {
  std::vector<std::string> lines;
  for (const Action& action : plan.actions) {
    const std::string& what = action.draft.by_hand;
    if (what.empty()) continue;
    const std::string text = fmt::format("{} (waits {})", what, format_duration(wait_of(action)));
    std::string item = wrap(text, style.width - kSectionIndent, 4);
    if (std::find(lines.begin(), lines.end(), item) == lines.end())
      lines.push_back(std::move(item));
  }
  if (lines.empty()) return {};
  return section("By hand", hang(join(lines, "\n")), style);
}

std::string impact_text(const Plan& plan, const Style& style) {
  const plans::Impact& impact = plan.impact;
  std::vector<std::string> parts;
  parts.push_back(count(impact.reboots, "reboot"));
  parts.push_back(count(impact.link_flaps, "link flap"));
  if (impact.sm_moves != 0) parts.push_back(count(impact.sm_moves, "subnet manager move"));
  if (!impact.management_path.empty())
    parts.push_back("touches the SSH path of " + join(impact.management_path, ", "));
  return section("Impact", hang(wrap(join(parts, ", "), style.width - kSectionIndent, 0)), style);
}

std::string undo_text(const Plan& plan, const Style& style) {
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
  std::string text =
      fmt::format("{} of {} can be rolled back", reversible, count(changing, "action"));
  for (const auto& [reason, times] : reasons) {
    text += fmt::format("{}not {}: {}", section_indent(), times, reason);
  }
  return section("Undo", text, style);
}

std::string time_text(const std::optional<execute::Estimate>& time, const Style& style) {
  if (!time) return {};
  std::string text = fmt::format(
      "about {}, by {} here", format_duration(time->time), count(time->runs, "earlier run"));
  if (!time->unseen.empty())
    text += fmt::format(", and what none of them had: {}", fmt::join(time->unseen, ", "));
  return section("Time", hang(wrap(text, style.width - kSectionIndent, 0)), style);
}

// " (ring.yaml:13 and 2 more places)"
std::string places_text(const FoldedFinding& finding, const SourceMap& sources) {
  const SourceRange& range = finding.shown.range;
  std::string text;
  if (is_known(range)) {
    text = fmt::format(
        "{}:{}", sources.path(range.file), sources.position(range.file, range.begin).line);
    const std::size_t more = finding.more_places.size();
    if (more > 0) text += " and " + count(more, "more place");
  }
  if (finding.members.size() > 1) {
    if (!text.empty()) text += "; ";
    text += count(finding.members.size(), "finding");
  }
  return text.empty() ? text : " (" + text + ')';
}

std::string findings_text(const Plan& plan, const Style& style) {
  SourceMap sources;
  const Diagnostics findings = plan_findings(plan, sources);
  std::string text;
  for (const FoldedFinding& finding :
       style.verbose ? single_findings(findings) : fold_findings(findings)) {
    const Diagnostic& shown = finding.shown;
    const Colour colour = shown.severity == Severity::error ? Colour::red : Colour::yellow;
    const std::string line = fmt::format(
        "{}[{}]: {}{}",
        to_string(shown.severity),
        shown.rule,
        shown.message,
        places_text(finding, sources));
    text += paint(style, colour, wrap(line, style.width, 4)) + '\n';
    if (!shown.help.empty())
      text += "    " + wrap("help: " + shown.help, style.width - 4, 4) + '\n';
  }
  return text.empty() ? text : text + '\n';
}

}  // namespace

std::string plan_summary(const Plan& plan) {
  const plans::Summary& summary = plan.summary;
  // Without actions somebody asked what differs, not what to do about it.
  const bool only_differs =
      plan.actions.empty() && summary.add + summary.change + summary.remove > 0;
  std::string line = fmt::format(
      "{}: {} to add, {} to change, {} to remove",
      only_differs ? "Differences" : "Plan",
      summary.add,
      summary.change,
      summary.remove);
  if (summary.unknown != 0) line += fmt::format(", {} unknown", summary.unknown);
  if (only_differs) return line + "; nothing is planned.";
  if (plan.impact.reboots != 0) {
    const auto waves = static_cast<std::size_t>(std::count_if(
        plan.waves.begin(), plan.waves.end(), [](const Wave& wave) { return wave.number != 0; }));
    line += fmt::format("; {} in {}", count(plan.impact.reboots, "reboot"), count(waves, "wave"));
  }
  return line + '.';
}

std::string plan_text(
    const Plan& plan, const Style& style, const std::optional<execute::Estimate>& time) {
  std::string text = header(plan, style);
  text += changes_text(plan, style);
  if (!plan.actions.empty()) {
    text += order_text(plan, style) + reboots_text(plan, style) + hooks_text(plan, style) +
            by_hand_text(plan, style) + impact_text(plan, style) + undo_text(plan, style) +
            time_text(time, style) + '\n';
  }
  text += findings_text(plan, style);
  if (!plan.empty()) return text + paint(style, Colour::bold, plan_summary(plan)) + '\n';
  if (plan.complete()) {
    return text + paint(style, Colour::green, "No changes: the fabric is what the document says.") +
           '\n';
  }
  return text +
         paint(
             style,
             Colour::yellow,
             "No changes are known to be needed, but not every node could be asked.") +
         '\n';
}

}  // namespace fabric::report
