#include "engine/report/plan/plan_commands.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::report {

namespace {

using remote::step::WriteFile;

// A here-document ends at a line that is its delimiter, so no line of the content may be.
std::string delimiter_for(std::string_view content) {
  std::string delimiter = "EOF";
  const std::vector<std::string_view> lines = split_lines(content);
  while (std::find(lines.begin(), lines.end(), delimiter) != lines.end())
    delimiter += "_";
  return delimiter;
}

std::string write_text(const WriteFile& file) {
  const std::size_t colon = file.owner.find(':');
  remote::Argv argv{
      "install", "-D", "-m", fmt::format("{:04o}", file.mode), "-o", file.owner.substr(0, colon)};
  if (colon != std::string::npos) argv.insert(argv.end(), {"-g", file.owner.substr(colon + 1)});
  argv.insert(argv.end(), {"/dev/stdin", file.path});
  // A here-document always ends its last line; what has none goes through printf.
  if (!file.content.empty() && file.content.back() != '\n') {
    return fmt::format(
        "printf %s {} | {}\n", remote::quote(file.content), remote::command_line(argv));
  }
  const std::string delimiter = delimiter_for(file.content);
  return fmt::format(
      "{} <<'{}'\n{}{}\n", remote::command_line(argv), delimiter, file.content, delimiter);
}

std::string copy_text(const remote::step::CopyFile& copy, const NodeName& node) {
  return fmt::format(
      "# on this machine ({} bytes, sha256 {}):\n{}\n# on {}:\n{}\n",
      copy.bytes,
      copy.sha256,
      remote::command_line({"scp", copy.source, fmt::format("{}:{}", node.str(), copy.path)}),
      node.str(),
      remote::command_line({"chmod", fmt::format("{:04o}", copy.mode), copy.path}));
}

std::string condition_text(const Condition& condition) {
  const std::string value = condition.equals.is_null() ? "absent" : to_text(condition.equals);
  return fmt::format(
      "{} {} ({}) = {}",
      condition.address.str(),
      condition.attribute,
      to_string(condition.layer),
      value);
}

std::string action_text(const plans::Action& action) {
  const ActionDraft& draft = action.draft;
  std::string text = fmt::format("# {}  {}: {}\n", action.id, action.node.str(), draft.title);
  if (!action.needs.empty()) text += fmt::format("#   needs {}\n", join(action.needs, ", "));
  for (const Condition& condition : draft.preconditions) {
    text += fmt::format("#   only if {}\n", condition_text(condition));
  }
  if (!draft.by_hand.empty()) text += fmt::format("# by hand: {}\n", draft.by_hand);
  for (const WriteFile& file : draft.writes)
    text += write_text(file);
  for (const remote::step::CopyFile& copy : draft.copies)
    text += copy_text(copy, action.node);
  if (!draft.here.empty())
    text += fmt::format(
        "# on this machine:\n{}\n# on {}:\n", remote::command_line(draft.here), action.node.str());
  for (const std::string& path : draft.removes)
    text += remote::command_line({"rm", "-f", path}) + '\n';
  for (const remote::Argv& argv : draft.commands)
    text += remote::command_line(argv) + '\n';
  if (!action.reboot.command.empty())
    text += "# on this machine:\n" + remote::command_line(action.reboot.command) + '\n';
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
  std::uint32_t wave = 0;
  for (const plans::Action& action : plan.actions) {
    if (action.wave != wave) text += fmt::format("# wave {}\n\n", action.wave);
    wave = action.wave;
    text += action_text(action);
  }
  return text;
}

}  // namespace fabric::report
