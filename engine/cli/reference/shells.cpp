// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/cli/reference/shell_words.hpp"

namespace fabric::cli {

namespace {

std::string words(const std::vector<std::string>& all) {
  return join(all, " ");
}

// A line of a `case` for the value of an option.
std::string value_of(const OptionText& option, const std::string& verb) {
  std::string patterns;
  for (const std::string& name : option.names)
    patterns += (patterns.empty() ? "" : "|") + fmt::format("'{} {}'", verb, name);
  switch (completed_by(option)) {
    case Completed::file:
      return fmt::format("    {}) _fabric_files; return ;;\n", patterns);
    case Completed::directory:
      return fmt::format("    {}) _fabric_files -d; return ;;\n", patterns);
    case Completed::nodes:
      return fmt::format("    {}) _fabric_asked nodes; return ;;\n", patterns);
    case Completed::rules:
      return fmt::format("    {}) _fabric_asked rules; return ;;\n", patterns);
    case Completed::runs:
      return fmt::format("    {}) _fabric_asked runs; return ;;\n", patterns);
    case Completed::nothing:
      break;
  }
  return fmt::format("    {}) _fabric_words {}; return ;;\n", patterns, words(option.choices));
}

std::string values_of(const CommandText& command, const std::string& verb) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (!option.positional && !option.value.empty()) text += value_of(option, verb);
  }
  return text;
}

// The completions where no option is expected: choices, files, words of `fabric completion`.
std::string arguments_of(const CommandText& command) {
  std::vector<std::string> choices;
  std::string text;
  for (const CommandText& below : command.commands)
    choices.push_back(below.name);
  for (const OptionText& option : command.options) {
    if (!option.positional) continue;
    choices.insert(choices.end(), option.choices.begin(), option.choices.end());
    const Completed by = completed_by(option);
    if (by == Completed::file) text += " _fabric_files;";
    if (by == Completed::directory) text += " _fabric_files -d;";
    if (by == Completed::nodes) text += " _fabric_asked nodes;";
    if (by == Completed::rules) text += " _fabric_asked rules;";
    if (by == Completed::runs) text += " _fabric_asked runs; _fabric_files;";
  }
  if (!choices.empty()) text += fmt::format(" _fabric_words {};", words(choices));
  return text;
}

}  // namespace

std::string bash_completion(const CommandText& fabric) {
  std::vector<std::string> verbs;
  std::string values = values_of(fabric, "*");
  std::string options;
  std::string arguments;
  for (const CommandText& verb : fabric.commands) {
    verbs.push_back(verb.name);
    values += values_of(verb, verb.name);
    options += fmt::format("      {}) own=({}) ;;\n", verb.name, words(option_names(verb, false)));
    arguments += fmt::format("    {}){} ;;\n", verb.name, arguments_of(verb));
  }
  // The pattern of a global option is for any verb: the quotes hold its name alone.
  for (std::size_t at = values.find("'* "); at != std::string::npos; at = values.find("'* ", at))
    values.replace(at, 3, "*' ");
  return fmt::format(
      R"(# Completion of fabric for bash, written by: fabric completion bash
# No word is evaluated: they may be those of a stranger's folder.
_fabric_take() {{
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done
}}
_fabric_words() {{
  local word
  for word; do [[ $word == "$current"* ]] && COMPREPLY+=("$word"); done
}}
_fabric_files() {{ compopt -o filenames 2>/dev/null; _fabric_take < <(compgen -f "$@" -- "$current"); }}
# By the fabric of PATH, whatever was typed; nothing that a shell would not take as it is.
_fabric_asked() {{
  local word
  while IFS= read -r word; do
    [[ $word != -* && $word != *[!A-Za-z0-9._:/@-]* ]] && _fabric_words "$word"
  done < <(command fabric -q completion "$1" 2>/dev/null)
}}
_fabric() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb= word skip= i
  local -a own=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [ -n "$skip" ]; then skip=; continue; fi
    case $word in
      {0}) skip=1 ;;
      -*) ;;
      *) verb=$word; break ;;
    esac
  done
  case "$verb $before" in
{1}  esac
  if [ -z "$verb" ]; then
    _fabric_words {2} {3}
    return
  fi
  if [[ $current == -* ]]; then
    case $verb in
{4}    esac
    _fabric_words "${{own[@]}}" {3}
    return
  fi
  case $verb in
{5}  esac
}}
complete -F _fabric fabric
)",
      join(option_names(fabric, true), "|"),
      values,
      words(verbs),
      words(option_names(fabric, false)),
      options,
      arguments);
}

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

namespace {

// Within single quotes, and within the brackets and colons of a specification of _arguments.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string action(const OptionText& option) {
  switch (completed_by(option)) {
    case Completed::file:
      return "_files";
    case Completed::directory:
      return "_files -/";
    case Completed::nodes:
      return "{_fabric_ask nodes}";
    case Completed::rules:
      return "{_fabric_ask rules}";
    case Completed::runs:
      return "{_fabric_ask runs; _files}";
    case Completed::nothing:
      break;
  }
  return option.choices.empty() ? "" : "(" + join(option.choices, " ") + ")";
}

std::string specification(const OptionText& option) {
  const std::string value = fmt::format(":{}:{}", escaped(option.value), action(option));
  if (option.positional) {
    return fmt::format(
        " \\\n      '{}:{}:{}'",
        option.repeats ? "*" : "",
        escaped(option.names.front()),
        action(option));
  }
  std::string text;
  for (const std::string& name : option.names) {
    text += fmt::format(
        " \\\n      '{}{}[{}]{}'",
        option.repeats ? "*" : "",
        name,
        escaped(brief(option.description)),
        option.value.empty() ? "" : value);
  }
  return text;
}

std::string specifications(const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options)
    text += specification(option);
  return text;
}

}  // namespace

std::string zsh_completion(const CommandText& fabric) {
  std::string verbs;
  std::string cases;
  for (const CommandText& verb : fabric.commands) {
    verbs += fmt::format(" \\\n      '{}:{}'", verb.name, escaped(brief(verb.summary)));
    std::vector<std::string> below;
    for (const CommandText& each : verb.commands)
      below.push_back(each.name);
    const std::string first =
        below.empty() ? "" : fmt::format(" \\\n      ':command:({})'", join(below, " "));
    cases += fmt::format(
        "    {}) _arguments -s $globals{}{} ;;\n", verb.name, specifications(verb), first);
  }
  return fmt::format(
      R"zsh(#compdef fabric
# Completion of fabric for zsh, written by: fabric completion zsh
_fabric_ask() {{
  local -a found
  found=(${{(f)"$(command fabric -q completion $1 2>/dev/null)"}})
  compadd -a found
}}
_fabric() {{
  local -a globals verbs
  local context state line
  local -A opt_args
  globals=({0}
  )
  verbs=({1}
  )
  _arguments -C -s $globals '1:verb:->verb' '*::argument:->rest'
  case $state in
    verb) _describe verb verbs; return ;;
    rest) ;;
    *) return ;;
  esac
  case $words[1] in
{2}  esac
}}
if [ "$funcstack[1]" = _fabric ]; then _fabric "$@"; else compdef _fabric fabric; fi
)zsh",
      specifications(fabric),
      verbs,
      cases);
}

}  // namespace fabric::cli
