// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/plan_formats.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/overloaded.hpp"
#include "engine/base/printable.hpp"
#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/diagnostics/grouping.hpp"
#include "engine/report/plan/plan_changes.hpp"
#include "engine/report/plan/plan_text.hpp"
#include "engine/report/tables/tables.hpp"

namespace fabric::report {

namespace {

using remote::step::WriteFile;

// Escaped as an argument of `printf %b`, which restores the text.
std::string written_out(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const Character character = first_character(text);
    const bool is_shown = character.is_valid && !is_deceptive(character.code) &&
                          text.front() != '\\' && !begins_log_command(text) &&
                          !text.starts_with("::");
    for (const char byte : text.substr(0, character.length)) {
      if (is_shown) {
        escaped += byte;
      } else {
        escaped += fmt::format("\\0{:03o}", static_cast<std::uint8_t>(byte));
      }
    }
    text.remove_prefix(character.length);
  }
  return remote::quote(escaped);
}

// Each of its lines, in which a tab deceives no reader.
bool has_printable_lines(std::string_view text) {
  const std::vector<std::string_view> lines = split(text, '\n');
  return std::all_of(lines.begin(), lines.end(), [](std::string_view line) {
    std::string without_tabs{line};
    std::replace(without_tabs.begin(), without_tabs.end(), '\t', ' ');
    return printable(line) == without_tabs;
  });
}

// A word with line ends is escaped: its second line would look like a line of the plan.
bool can_be_shown(std::string_view word) {
  return has_printable_lines(word) && word.find('\n') == std::string_view::npos;
}

std::string shell_word(std::string_view word) {
  if (can_be_shown(word)) return remote::quote(word);
  return fmt::format("\"$(printf %b {})\"", written_out(word));
}

std::string shell_line(const remote::Argv& argv) {
  std::vector<std::string> words;
  const bool runs_script = remote::is_script_run(argv);
  for (const remote::Word& word : argv) {
    const bool is_named = runs_script && words.size() == 2;
    words.push_back(is_named ? fmt::format("\"${}\"", word.script()->name) : shell_word(word));
  }
  return join(words, " ");
}

// A here-document ends at a line that is its delimiter, so no line of the content may be.
std::string delimiter_for(std::string_view content) {
  std::string delimiter = "EOF";
  const std::vector<std::string_view> lines = split_lines(content);
  while (std::find(lines.begin(), lines.end(), delimiter) != lines.end())
    delimiter += "_";
  return delimiter;
}

// The definition of a script, which later lines call by its name.
std::string script_text(std::string_view name, std::string_view text) {
  if (!has_printable_lines(text)) return fmt::format("{}={}\n\n", name, shell_word(text));
  const std::string delimiter = delimiter_for(text);
  return fmt::format(
      "{}=$(cat <<'{}'\n{}{}{}\n)\n\n",
      name,
      delimiter,
      text,
      text.ends_with('\n') ? "" : "\n",
      delimiter);
}

std::string write_text(const WriteFile& file) {
  const std::size_t colon = file.owner.find(':');
  remote::Argv argv{
      "install", "-D", "-m", fmt::format("{:04o}", file.mode), "-o", file.owner.substr(0, colon)};
  if (colon != std::string::npos) argv.insert(argv.end(), {"-g", file.owner.substr(colon + 1)});
  argv.insert(argv.end(), {"/dev/stdin", file.path});
  if (!has_printable_lines(file.content))
    return fmt::format("printf %b {} | {}\n", written_out(file.content), shell_line(argv));
  // A here-document always ends its last line; other content goes through printf.
  if (!file.content.empty() && file.content.back() != '\n') {
    return fmt::format("printf %s {} | {}\n", remote::quote(file.content), shell_line(argv));
  }
  const std::string delimiter = delimiter_for(file.content);
  return fmt::format("{} <<'{}'\n{}{}\n", shell_line(argv), delimiter, file.content, delimiter);
}

std::string copy_text(const remote::step::CopyFile& copy, const NodeName& node) {
  return fmt::format(
      "# on this machine ({} bytes, sha256 {}):\n{}\n# on {}:\n{}\n",
      copy.bytes,
      printable(copy.sha256),
      shell_line({"scp", copy.source, fmt::format("{}:{}", node.str(), copy.path)}),
      node.str(),
      shell_line({"chmod", fmt::format("{:04o}", copy.mode), copy.path}));
}

std::string condition_text(const Condition& condition) {
  const std::string value = condition.equals.is_null() ? "absent" : to_text(condition.equals);
  return printable(fmt::format(
      "{} {} ({}) = {}",
      condition.address.str(),
      condition.attribute,
      to_string(condition.layer),
      value));
}

std::string step_text(const remote::Step& step, const plans::Action& action) {
  return std::visit(
      Overloaded{
          [](const WriteFile& file) { return write_text(file); },
          [&](const remote::step::CopyFile& copy) { return copy_text(copy, action.node); },
          [](const remote::step::RemoveFile& removal) {
            return shell_line({"rm", "-f", removal.path}) + '\n';
          },
          [](const remote::step::Run& run) { return shell_line(run.command.argv) + '\n'; },
          [](const remote::step::Converse& talk) {
            std::string lines;
            for (const std::string& line : talk.lines)
              lines += printable(line) + '\n';
            return lines;
          },
          [&](const remote::step::RunHere& run) {
            std::string text = "# on this machine:\n" + shell_line(run.command.argv) + '\n';
            if (action.draft.kind != methods::kReboot)
              text += fmt::format("# on {}:\n", action.node.str());
            return text;
          },
          [](const remote::step::Pause&) {
            return std::string{};
          }},
      step);
}

std::string action_text(const plans::Action& action) {
  const ActionDraft& draft = action.draft;
  std::string text = fmt::format(
      "# {}  {}: {}\n", printable(action.id), action.node.str(), printable(draft.title));
  if (!action.needs.empty())
    text += fmt::format("#   needs {}\n", printable(join(action.needs, ", ")));
  for (const Condition& condition : draft.preconditions) {
    text += fmt::format("#   only if {}\n", condition_text(condition));
  }
  for (const FileCondition& file : draft.file_preconditions) {
    text += fmt::format("#   only if {} ", printable(file.path));
    text += file.digest.empty() ? "is not there\n"
                                : fmt::format("is unchanged (sha256 {})\n", printable(file.digest));
  }
  if (!draft.by_hand.empty()) text += fmt::format("# by hand: {}\n", printable(draft.by_hand));
  for (const remote::Step& step : draft.steps)
    text += step_text(step, action);
  if (draft.kind == methods::kReboot) {
    text += fmt::format(
        "#   then a new boot_id within {}\n",
        format_duration(action.reboot.down + action.reboot.up));
  }
  for (const Condition& condition : draft.postconditions) {
    text += fmt::format("#   then {}\n", condition_text(condition));
  }
  return text + '\n';
}

}  // namespace

std::string plan_commands(const plans::Plan& plan) {
  if (plan.actions.empty()) return "# nothing to do\n";
  std::string text;
  for (const auto& [name, script] : plans::scripts_of(plan))
    text += script_text(name, script);
  std::uint32_t wave = 0;
  for (const plans::Action& action : plan.actions) {
    if (action.wave != wave) text += fmt::format("# wave {}\n\n", action.wave);
    wave = action.wave;
    text += action_text(action);
  }
  return text;
}

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
