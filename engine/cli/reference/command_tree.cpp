// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/reference/command_tree.hpp"

#include <CLI/CLI.hpp>

#include "engine/base/text.hpp"

namespace fabric::cli {

namespace {

// "FORMAT:{human,json}" of CLI11: the name of the value, and its choices.
void take_type(std::string_view type, OptionText& option) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.rfind('}');
  if (open != std::string_view::npos && close != std::string_view::npos && close > open) {
    const std::string_view listed = type.substr(open + 1, close - open - 1);
    for (const std::string_view choice : split(listed, ','))
      option.choices.emplace_back(trim(choice));
    type = type.substr(0, open);
  }
  // "N:INT in [1 - 4096]"
  option.value = std::string{trim(type.substr(0, type.find(':')))};
  if (option.value.empty()) option.value = "VALUE";
}

OptionText describe(const CLI::Option& option) {
  OptionText text;
  text.positional = option.get_positional();
  text.required = option.get_required();
  text.repeats = option.get_expected_max() > 1;
  text.description = option.get_description();
  if (text.positional) {
    text.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames())
      text.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
      text.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() > 0) take_type(option.get_type_name(), text);
  if (!option.get_default_str().empty() && option.get_items_expected_max() > 0)
    text.description += " (unless given: " + option.get_default_str() + ")";
  return text;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as the verbs are
CommandText describe(const CLI::App& app) {
  CommandText text{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options())
    text.options.push_back(describe(*option));
  const auto all = [](const CLI::App*) {
    return true;
  };
  for (const CLI::App* command : app.get_subcommands(all))
    text.commands.push_back(describe(*command));
  return text;
}

}  // namespace fabric::cli
