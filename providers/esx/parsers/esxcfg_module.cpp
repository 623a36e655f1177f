// SPDX-License-Identifier: Apache-2.0
#include "providers/esx/parsers/esxcfg_module.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/line_cursor.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

EsxModuleOption option_of(std::string_view word) {
  const std::size_t equals = word.find('=');
  EsxModuleOption option{std::string{word.substr(0, equals)}, std::nullopt};
  if (equals != std::string_view::npos) option.value = word.substr(equals + 1);
  return option;
}

// "nmlx5_core enabled = 1 options = 'pfctx=0x08 max_vfs=4,4'"
std::optional<EsxModule> module_of(std::string_view line) {
  EsxModule module;
  LineCursor cursor{line};
  module.name = cursor.word();
  if (module.name.empty() || !cursor.take("enabled") || !cursor.take("=")) return std::nullopt;
  const auto enabled = cursor.number();
  if (!enabled || *enabled > 1 || !cursor.take("options") || !cursor.take("=")) return std::nullopt;
  const std::string_view rest = trim(cursor.rest());
  if (rest.size() < 2 || rest.front() != '\'' || rest.back() != '\'') return std::nullopt;
  module.enabled = *enabled == 1;
  module.options_text = rest.substr(1, rest.size() - 2);
  for (const std::string_view word : split_words(std::string_view{module.options_text}))
    module.options.push_back(option_of(word));
  return module;
}

}  // namespace

Result<std::vector<EsxModule>> parse_esxcfg_module(std::string_view text) {
  std::vector<EsxModule> modules;
  std::size_t number = 0;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    if (line.empty()) continue;
    auto module = module_of(line);
    if (!module)
      return error_at(
          number, fmt::format("expected NAME enabled = 1 options = '...', found '{}'", line));
    module->line = number;
    modules.push_back(std::move(*module));
  }
  if (modules.empty()) return error_at(1, "no module");
  return modules;
}

Value to_value(const std::vector<EsxModule>& modules) {
  List list;
  for (const EsxModule& module : modules) {
    List options;
    for (const EsxModuleOption& option : module.options) {
      Map map{{"key", option.key}};
      if (option.value) map.emplace("value", *option.value);
      options.emplace_back(std::move(map));
    }
    list.emplace_back(
        Map{{"name", module.name},
            {"enabled", module.enabled},
            {"options_text", module.options_text},
            {"options", std::move(options)}});
  }
  return Map{{"modules", std::move(list)}};
}

}  // namespace fabric::providers
