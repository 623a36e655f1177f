// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/report/diagnostics/grouping.hpp"
#include "engine/report/plan/plan_changes.hpp"
#include "engine/report/plan/plan_formats.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/tables/tables.hpp"

namespace fabric::report {

namespace {

constexpr std::size_t kWidth = 100;

struct Block {
  std::string title;  // HTML
  std::string text;   // as a terminal shows it

  std::string markdown(std::size_t most) const {
    return fmt::format(
        "<details><summary>{}</summary>\n\n{}\n</details>\n\n",
        title,
        fenced(without_middle(text, most)));
  }
};

// The groups of equal nodes: each begins with a line that is not indented.
std::vector<Block> change_blocks(const plans::Plan& plan) {
  std::vector<Block> blocks;
  const std::string text = changes_text(plan, {false, kWidth, false}).str();
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with("Symbols:")) continue;
    if (!line.empty() && line.front() != ' ') blocks.push_back({html_in_markdown(line), {}});
    if (!blocks.empty()) (blocks.back().text += line) += '\n';
  }
  for (Block& block : blocks) {
    while (block.text.ends_with("\n\n"))
      block.text.pop_back();
  }
  return blocks;
}

std::string finding_line(
    const FindingGroup& group, const Diagnostics& findings, const SourceMap& sources) {
  const Diagnostic& shown = findings.items()[group.members.front()];
  std::string line = fmt::format(
      "- **{}** {}: {}", to_string(shown.severity), inert(shown.rule), inert(shown.message));
  if (is_known(shown.range)) {
    line += fmt::format(
        " ({}:{})",
        inert(sources.path(shown.range.file)),
        sources.position(shown.range.file, shown.range.begin).line);
  }
  if (group.members.size() > 1) line += ", " + inert(others_text(group, findings));
  if (!shown.help.empty()) line += fmt::format("<br>{}", inert(shown.help));
  return line + "\n";
}

std::string findings_list(const Diagnostics& findings, const SourceMap& sources) {
  constexpr std::size_t kShown = 50;
  std::string list;
  std::size_t number = 0;
  for (const FindingGroup& group : group_findings(findings)) {
    if (number++ < kShown) list += finding_line(group, findings, sources);
  }
  if (number > kShown) list += fmt::format("- and {} more findings\n", number - kShown);
  return list.empty() ? list : list + "\n";
}

// First leaves out groups in the middle, then the middle of the rest.
std::string fitting(const std::string& head, const std::vector<Block>& blocks, std::size_t most) {
  std::string all = head;
  for (const Block& block : blocks)
    all += block.markdown(most);
  if (all.size() <= most) return all;
  constexpr std::size_t kFrame = 512;  // of a block, and of what is said about the rest
  const std::size_t room = most > head.size() + kFrame ? most - head.size() - kFrame : 0;
  const std::size_t shown = std::min<std::size_t>(blocks.size(), 8);
  const std::size_t first = shown - shown / 2;
  const std::size_t each = shown == 0 ? 0 : room / shown;
  std::string text = head;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool kept = i < first || i + (shown - first) >= blocks.size();
    if (!kept && i == first) {
      text += fmt::format(
          "{} more parts are left out to keep this comment short; `fabric show PLAN` shows "
          "them.\n\n",
          blocks.size() - shown);
    }
    if (kept) text += blocks[i].markdown(each > kFrame ? each - kFrame : 0);
  }
  return text.size() <= most ? text : text.substr(0, most);
}

}  // namespace

std::string plan_markdown(
    const plans::Plan* plan,
    const Diagnostics& findings,
    const SourceMap& sources,
    const std::optional<execute::Estimate>& time,
    std::size_t most) {
  if (plan == nullptr) {
    const std::string head = "### fabric: no plan could be made\n\n";
    return without_middle(head + findings_list(findings, sources), most);
  }
  std::string head =
      fmt::format("### fabric: {}\n\n{}\n\n", inert(plan->fabric), plan_verdict(*plan));
  SourceMap of_plan;
  const Diagnostics planned = plan_findings(*plan, of_plan);
  head += findings_list(planned, of_plan);
  const std::vector<std::string> withheld = withheld_lines(*plan);
  for (const std::string& line : withheld)
    head += fmt::format("- {}\n", inert(line));
  if (!withheld.empty()) head += "\n";
  std::vector<Block> blocks;
  if (!plan->actions.empty()) {
    blocks.push_back(
        {"Order, impact and rollback",
         order_and_impact(*plan, {false, kWidth, false}, time).str()});
  }
  for (Block& block : change_blocks(*plan))
    blocks.push_back(std::move(block));
  return fitting(without_middle(head, most / 2), blocks, most);
}

}  // namespace fabric::report
