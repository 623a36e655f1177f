// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/cli/reference/shell_words.hpp"

namespace fabric::cli {

namespace {

std::string in_quotes(std::string_view text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe + "'";
}

std::string arguments(const OptionText& option) {
  switch (completed_by(option)) {
    case Completed::file:
      return " -F";
    case Completed::directory:
      return " -a '(__fish_complete_directories)'";
    case Completed::nodes:
      return " -a '(command fabric -q completion nodes 2>/dev/null)'";
    case Completed::rules:
      return " -a '(command fabric -q completion rules 2>/dev/null)'";
    case Completed::runs:
      return " -a '(command fabric -q completion runs 2>/dev/null)'";
    case Completed::nothing:
      break;
  }
  return option.choices.empty() ? "" : " -a " + in_quotes(join(option.choices, " "));
}

std::string line(const OptionText& option, const std::string& condition) {
  std::string text = "complete -c fabric" + condition;
  for (const std::string& name : option.names) {
    if (option.positional) break;
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.positional && !option.value.empty())
    text += completed_by(option) == Completed::file ? " -r" : " -x";
  const std::string found = option.value.empty() && !option.positional ? "" : arguments(option);
  if (option.positional && found.empty()) return {};
  text += found;
  return text + " -d " + in_quotes(brief(option.description)) + "\n";
}

}  // namespace

std::string fish_completion(const CommandText& fabric) {
  std::string text =
      "# Completion of fabric for fish, written by: fabric completion fish\n"
      "complete -c fabric -f\n";
  for (const OptionText& option : fabric.options)
    text += line(option, "");
  std::vector<std::string> verbs;
  for (const CommandText& verb : fabric.commands)
    verbs.push_back(verb.name);
  // fish's own test would take the value of an option for the verb.
  const std::string unseen = fmt::format("'not __fish_seen_subcommand_from {}'", join(verbs, " "));
  for (const CommandText& verb : fabric.commands) {
    text += fmt::format(
        "complete -c fabric -n {} -a {} -d {}\n",
        unseen,
        verb.name,
        in_quotes(brief(verb.summary)));
    const std::string seen = fmt::format(" -n '__fish_seen_subcommand_from {}'", verb.name);
    for (const OptionText& option : verb.options)
      text += line(option, seen);
    for (const CommandText& below : verb.commands) {
      text += fmt::format(
          "complete -c fabric{} -a {} -d {}\n", seen, below.name, in_quotes(brief(below.summary)));
    }
  }
  return text;
}

}  // namespace fabric::cli
