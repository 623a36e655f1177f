// SPDX-License-Identifier: Apache-2.0
#include "providers/esx/module_options.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/parsers/esxcli_table.hpp"
#include "providers/esx/sh/scripts.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kListProbe = "esxi-modules";
constexpr const char* kOptionsProbe = "esxi-module-options";
constexpr const char* kPendingProbe = "esxi-module-pending";

bool is_key_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

// A module that the host does not have gives an error of its own.
std::vector<Probe> module_option_probes() {
  return {
      {kListProbe, "esxcli --formatter=keyvalue system module list\n"},
      {kOptionsProbe, std::string{sh::probe_esxi_module_options.text}},
      {kPendingProbe, std::string{sh::probe_esxi_module_pending.text}}};
}

Result<EsxModule> module_options(const NodeFacts& facts, std::string_view module) {
  return options_of(FABRIC_TRY(answer(facts, kOptionsProbe)), module);
}

Result<std::optional<bool>> is_loaded(const NodeFacts& facts, std::string_view module) {
  const std::string_view text = FABRIC_TRY(answer(facts, kListProbe));
  const std::vector<EsxcliRow> rows = FABRIC_TRY(read_esxcli_rows(text, {"name", "isloaded"}));
  for (const EsxcliRow& row : rows) {
    if (row.cell("name") == module) return std::optional{row.cell("isloaded") == "true"};
  }
  return std::optional<bool>{};
}

remote::Argv load_module(std::string_view module) {
  return {"sh", "-c", sh::module_load, "fabric-load", module};
}

std::optional<std::string> option_value(const EsxModule& module, std::string_view key) {
  const auto found = std::find_if(
      module.options.rbegin(), module.options.rend(), [&](const EsxModuleOption& option) {
        return option.key == key;
      });
  if (found == module.options.rend()) return std::nullopt;
  return found->value.value_or("");
}

Result<bool> is_pending(const NodeFacts& facts, std::string_view module, std::string_view key) {
  const std::string_view text = FABRIC_TRY(answer(facts, kPendingProbe));
  const std::string line = fmt::format("{} {}", module, key);
  const auto lines = split_lines(text);
  return std::find(lines.begin(), lines.end(), std::string_view{line}) != lines.end();
}

std::string not_an_option(const OptionChange& change) {
  if (change.key.empty() || !std::all_of(change.key.begin(), change.key.end(), is_key_letter))
    return fmt::format("'{}' is no name of an option", change.key);
  const std::string value = change.value.value_or("0");
  const bool has_other = std::any_of(value.begin(), value.end(), [](char c) {
    return c <= ' ' || c > '~' || c == '\'' || c == '"' || c == '\\' || c == '$' || c == '`';
  });
  if (value.empty() || has_other)
    return fmt::format("'{}' can't stand in the options of a driver", value);
  return "";
}

remote::Argv options_words(
    std::string_view module, std::size_t elements, const std::vector<OptionChange>& changes) {
  remote::Argv argv{module, std::to_string(elements)};
  for (const OptionChange& change : changes) {
    if (change.element) {
      argv.push_back(
          fmt::format("{}[{}]={}", change.key, *change.element, change.value.value_or("")));
    } else if (!change.value) {
      argv.push_back("-" + change.key);
    } else {
      argv.push_back(fmt::format("{}={}", change.key, *change.value));
    }
  }
  return argv;
}

remote::Argv set_options(
    std::string_view module, std::size_t elements, const std::vector<OptionChange>& changes) {
  remote::Argv argv{"sh", "-c", sh::module_options, "fabric-options"};
  const remote::Argv words = options_words(module, elements, changes);
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

namespace {

constexpr std::string_view kModule = "== module ";

// The answer for a module; nullopt: the module was not asked for.
std::optional<std::string> said_of(std::string_view output, std::string_view module) {
  std::optional<std::string> said;
  bool inside = false;
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with(kModule)) {
      inside = trim(line.substr(kModule.size())) == module;
      if (inside) said.emplace();
    } else if (inside) {
      *said += std::string{line} + "\n";
    }
  }
  return said;
}

}  // namespace

Result<EsxModule> options_of(std::string_view output, std::string_view module) {
  const auto said = said_of(output, module);
  if (!said) return Error{ErrorCode::invalid, "fabric does not ask for this module"};
  std::vector<EsxModule> modules = FABRIC_TRY(parse_esxcfg_module(*said));
  if (modules.size() != 1 || modules.front().name != module)
    return Error{
        ErrorCode::invalid, fmt::format("the host answers for another module than {}", module)};
  return std::move(modules.front());
}

}  // namespace fabric::providers::esxi
