// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/cli/reference/shell_words.hpp"

namespace fabric::cli {

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
