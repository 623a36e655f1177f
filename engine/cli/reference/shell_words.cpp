// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/reference/shell_words.hpp"

#include <algorithm>

namespace fabric::cli {

std::vector<std::string> option_names(const CommandText& command, bool with_value) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) {
    if (option.positional || (with_value && option.value.empty())) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

Completed completed_by(const OptionText& option) {
  const std::string& what = option.positional ? option.names.front() : option.value;
  const std::string& name = option.names.back();
  if (what == "RULE_OR_ADDRESS") return Completed::rules;
  if (what == "RUN" || what == "PLAN_OR_RUN" || name == "--resume") return Completed::runs;
  const auto is_one_of = [](const std::string& text, std::initializer_list<const char*> all) {
    return std::find(all.begin(), all.end(), text) != all.end();
  };
  if (is_one_of(what, {"NODESET", "SET", "NODE"}) ||
      is_one_of(name, {"--limit", "--offline", "--allow-no-rollback"}))
    return Completed::nodes;
  if (what == "DIR" || is_one_of(name, {"--facts", "--chdir", "--save"}))
    return Completed::directory;
  if (is_one_of(what, {"FILE", "PATH", "SOURCE", "PLAN", "PATH_OR_PLAN", "PLANFILE"}) ||
      is_one_of(name, {"--out", "--plan", "--sign", "--wire"}))
    return Completed::file;
  return Completed::nothing;
}

std::string brief(std::string_view description) {
  const std::size_t end = std::min(description.find_first_of(":;\n("), description.find(". "));
  std::string text{description.substr(0, std::min(end, description.size()))};
  while (text.ends_with(' '))
    text.pop_back();
  return text;
}

}  // namespace fabric::cli
