// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/module/running_modules.hpp"

#include "engine/base/text.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/os/module_names.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kRunningModulesProbe = "modules";
constexpr std::string_view kRunningModulesFolder = "/sys/module/";
constexpr std::string_view kParameters = "/parameters/";

struct Place {
  std::string module, parameter;
};

// "/sys/module/bonding/parameters/miimon"
std::optional<Place> place_of(std::string_view path) {
  if (!path.starts_with(kRunningModulesFolder)) return std::nullopt;
  path.remove_prefix(kRunningModulesFolder.size());
  const std::size_t middle = path.find(kParameters);
  if (middle == std::string_view::npos) return std::nullopt;
  return Place{
      module_name(path.substr(0, middle)), module_name(path.substr(middle + kParameters.size()))};
}

// "mode 644 /sys/module/x/parameters/y"
void read_mode(RunningModules& modules, std::string_view mode, std::string_view path) {
  const auto place = place_of(path);
  const auto bits = parse_unsigned(mode, 8);
  if (!place || !bits) return;
  modules.parameters[place->module][place->parameter].writable = (*bits & 0200U) != 0;
}

// "/sys/module/x/parameters/y:value"; a value of several lines is one text.
void read_value(
    std::map<std::string, std::set<std::string>>& valued,
    RunningModules& modules,
    std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const auto place = place_of(line.substr(0, colon));
  if (!place) return;
  std::string& value = modules.parameters[place->module][place->parameter].value;
  if (!valued[place->module].insert(place->parameter).second) value += ' ';
  value += line.substr(colon + 1);
}

}  // namespace

const ModuleParameter* RunningModules::parameter(
    std::string_view module, std::string_view name) const {
  const auto found = parameters.find(module);
  if (found == parameters.end()) return nullptr;
  const auto parameter = found->second.find(name);
  return parameter == found->second.end() ? nullptr : &parameter->second;
}

Probe running_modules_probe() {
  return {std::string{kRunningModulesProbe}, std::string{sh::probe_modules.text}};
}

namespace {

RunningModules read_running_modules(std::string_view output) {
  RunningModules modules;
  modules.known = true;
  std::map<std::string, std::set<std::string>> valued;
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with(kRunningModulesFolder)) {
      read_value(valued, modules, line);
      continue;
    }
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() == 2 && words[0] == "loaded") modules.loaded.insert(module_name(words[1]));
    if (words.size() == 2 && words[0] == "builtin") modules.built_in.insert(module_name(words[1]));
    if (words.size() == 3 && words[0] == "mode") read_mode(modules, words[1], words[2]);
  }
  // A parameter that can't be read has a mode and no value.
  for (auto& [module, parameters] : modules.parameters) {
    const std::set<std::string>& known = valued[module];
    std::erase_if(parameters, [&known](const auto& entry) { return !known.contains(entry.first); });
  }
  return modules;
}

}  // namespace

const RunningModules& running_modules(const NodeFacts& facts) {
  return facts.parsed_or_none(kRunningModulesProbe, read_running_modules);
}

}  // namespace fabric::providers
