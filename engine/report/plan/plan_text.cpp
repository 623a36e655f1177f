#include "engine/report/plan/plan_text.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/provider/disruption_hooks.hpp"
#include "engine/report/plan/plan_changes.hpp"
#include "plans/health_gates.hpp"

namespace fabric::report {

namespace {

using plans::Action;
using plans::Plan;
using plans::Wave;

// More waves than this are cut in the middle: they repeat themselves.
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

std::string wave_line(
    const Plan& plan, const Wave& wave, const std::string& why_before, const Style& style) {
  std::string line =
      fmt::format("wave {}: {} ({})", wave.number, fold(wave.nodes), kinds_of(plan, wave.number));
  if (!wave.why.empty() && wave.why != why_before) line += "; " + wave.why;
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
  std::vector<Wave> waves;
  std::copy_if(
      plan.waves.begin(), plan.waves.end(), std::back_inserter(waves), [](const Wave& wave) {
        return wave.number != 0;
      });
  std::string why;
  for (std::size_t i = 0; i < waves.size(); ++i) {
    const bool cut =
        waves.size() > kWavesShown && i >= kFirstWavesShown && i + kLastWavesShown < waves.size();
    if (cut && i == kFirstWavesShown) {
      lines.push_back(fmt::format(
          "... {} more waves in the same way ...",
          waves.size() - kFirstWavesShown - kLastWavesShown));
    }
    if (cut) continue;
    lines.push_back(wave_line(plan, waves[i], why, style));
    why = waves[i].why;
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
    if (action.draft.kind == kBeforeHook) around.push_back(action.node);
    if (action.draft.kind == kAfterHook && action.closes.empty()) owed.push_back(action.node);
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

Duration wait_of(const Action& action) {
  return action.draft.kind == "reboot" ? action.reboot.down : action.draft.timeout;
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
    if (action.draft.kind == plans::kHealthKind) continue;
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

std::string diagnostics_text(const Plan& plan, const Style& style) {
  std::string text;
  for (const plans::PlanDiagnostic& diagnostic : plan.diagnostics) {
    const Colour colour = diagnostic.severity == Severity::error ? Colour::red : Colour::yellow;
    std::string place;
    if (diagnostic.source.line != 0) {
      place = fmt::format(" ({}:{})", diagnostic.source.file, diagnostic.source.line);
    }
    const std::string line = fmt::format(
        "{}[{}]: {}{}", to_string(diagnostic.severity), diagnostic.rule, diagnostic.message, place);
    text += paint(style, colour, wrap(line, style.width, 4)) + '\n';
    if (!diagnostic.help.empty())
      text += "    " + wrap("help: " + diagnostic.help, style.width - 4, 4) + '\n';
  }
  return text.empty() ? text : text + '\n';
}

}  // namespace

std::string plan_summary(const Plan& plan) {
  const plans::Summary& summary = plan.summary;
  std::string line = fmt::format(
      "Plan: {} to add, {} to change, {} to remove", summary.add, summary.change, summary.remove);
  if (summary.unknown != 0) line += fmt::format(", {} unknown", summary.unknown);
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
  text += diagnostics_text(plan, style);
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
