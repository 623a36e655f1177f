// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/module/module_statements.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/secrets/secret_names.hpp"
#include "engine/base/text.hpp"
#include "providers/linux/kinds/module/module_work.hpp"
#include "providers/os/module_names.hpp"

namespace fabric::providers {

namespace {

// The document's value for a parameter, by the kernel's name; null = none, or none any more.
const Value* wanted(const Resource& resource, std::string_view parameter) {
  for (const auto& [name, desired] : resource.desired) {
    if (module_name(name) == parameter && !desired.value.is_null()) return &desired.value;
  }
  return nullptr;
}

// "num_vfs=8"; a parameter without a value is a truth.
Statement of_option(const Resource& resource, const ModuleWords& line, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string parameter = module_name(word.substr(0, equals));
  const std::string value = equals == std::string::npos ? "1" : word.substr(equals + 1);
  const bool secret = names_secret(parameter);
  Statement statement{
      "modprobe",
      line.words[0],
      fmt::format("{} {}{}", line.words[1], parameter, secret ? "" : "=" + value),
      line.file,
      line.line};
  const Value* document = parameter == kLoaded ? nullptr : wanted(resource, parameter);
  if (document != nullptr) {
    const bool same = same_parameter(value, to_text(*document));
    statement.said = same ? StatementClass::said : StatementClass::said_otherwise;
    if (!same) statement.instead = to_text(*document);
  } else if (!secret) {
    statement.said = StatementClass::sayable;
    statement.instead = fmt::format(
        "nodes: {{{}: {{modules: {{{}: {{{}: \"{}\"}}}}}}}}",
        resource.address.node.str(),
        resource.address.name,
        parameter,
        value);
  }
  return statement;
}

// No plan holds it, as it would have to with the line.
bool has_secret(const ModuleLine& line, const std::string& module, const ModuleFiles& files) {
  for (const ModuleWords& each : modprobe_lines(module, line.file, files.texts.at(line.file))) {
    const bool secret = std::any_of(each.words.begin(), each.words.end(), [](const auto& word) {
      return names_secret(word.substr(0, word.find('=')));
    });
    if (each.line == line.line && secret) return true;
  }
  return false;
}

}  // namespace

LinkTarget adopted_module(const Resource& resource) {
  return LinkTarget{.address = resource.address};
}

std::vector<ForeignEntry> module_entries(
    const Resource& resource, const ModuleFiles& files, const FileDigests& digests) {
  std::vector<ForeignEntry> entries;
  if (!adopts(resource)) return entries;
  const std::string module = module_name(resource.address.name);
  const ModuleConfiguration found = files.of(module);
  const auto take = [&](const ModuleLine& line) {
    const bool known = std::any_of(entries.begin(), entries.end(), [&line](const auto& each) {
      return each.path == line.file && each.line == line.line;
    });
    if (line.owned || known || !digests.contains(line.file) || has_secret(line, module, files))
      return;
    entries.push_back({line.file, line.line, line.last});
  };
  if (wanted(resource, kLoaded) != nullptr) {
    for (const ModuleLine& line : found.forbidden)
      take(line);
  }
  for (const ModuleOption& option : found.options) {
    const Value* document =
        option.parameter == kLoaded ? nullptr : wanted(resource, option.parameter);
    if (document != nullptr && !same_parameter(option.value, to_text(*document))) take(option);
  }
  return entries;
}

std::vector<Statement> module_statements(
    const Resource& resource, const ModuleFiles& files, const std::vector<ForeignEntry>& entries) {
  std::vector<Statement> statements;
  std::set<std::string> seen;
  for (const ForeignEntry& entry : entries) {
    if (!seen.insert(entry.path).second) continue;
    for (const ModuleWords& line : modprobe_lines(
             module_name(resource.address.name), entry.path, files.texts.at(entry.path))) {
      const bool goes = std::any_of(entries.begin(), entries.end(), [&line](const auto& each) {
        return each.path == line.file && each.line == line.line;
      });
      if (goes && line.words[0] == "options") {
        for (std::size_t at = 2; at < line.words.size(); ++at)
          statements.push_back(of_option(resource, line, line.words[at]));
        continue;
      }
      const std::vector<std::string> rest{line.words.begin() + 1, line.words.end()};
      statements.push_back(
          {"modprobe",
           line.words[0],
           join(rest, " "),
           line.file,
           line.line,
           goes ? StatementClass::not_sayable : StatementClass::said});
    }
  }
  return statements;
}

}  // namespace fabric::providers
