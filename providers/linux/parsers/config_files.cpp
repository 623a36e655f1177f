// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/parsers/config_files.hpp"

#include <string>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/overloaded.hpp"
#include "engine/base/text.hpp"
#include "engine/value/lists.hpp"
#include "engine/yaml/parse.hpp"
#include "engine/yaml/scalar.hpp"
#include "providers/linux/parsers/ifcfg_file.hpp"
#include "providers/linux/parsers/ifupdown_file.hpp"
#include "providers/linux/parsers/ini_file.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

Value entry_value(std::string_view key, std::string_view value, std::size_t line) {
  return Map{{"key", key}, {"value", value}, {"line", static_cast<std::int64_t>(line)}};
}

// All sections with their entries.
Result<Value> sections_value(const IniFile& file, std::string_view text) {
  if (file.error) return *file.error;
  if (file.sections.empty()) return error_at(split_lines(text).size(), "no section");
  List sections;
  auto entry = file.entries.begin();
  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    List entries;
    const bool last = i + 1 == file.sections.size();
    for (; entry != file.entries.end() && (last || entry->line < file.sections[i + 1].line);
         ++entry)
      entries.push_back(entry_value(entry->key, entry->value, entry->line));
    sections.emplace_back(
        Map{{"name", file.sections[i].name},
            {"line", static_cast<std::int64_t>(file.sections[i].line)},
            {"entries", std::move(entries)}});
  }
  return Value{Map{{"sections", std::move(sections)}}};
}

// "line 3: problem"
Error first_problem(const SourceMap& sources, const Diagnostics& diagnostics) {
  const Diagnostic& first = diagnostics.items().front();
  const std::size_t line = sources.position(first.range.file, first.range.begin).line;
  return error_at(line, first.message);
}

Value scalar_value(const yaml::Node& node) {
  return std::visit(
      Overloaded{
          [](std::monostate) { return Value{}; },
          [](const auto& value) {
            return Value{value};
          }},
      yaml::interpret(node));
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as yaml::parse lets a document be.
Value node_value(const yaml::Node& node) {
  if (node.is_mapping()) {
    Map map;
    for (const yaml::Entry& entry : node.entries)
      map.emplace(entry.key, node_value(entry.value));
    return map;
  }
  if (!node.is_sequence()) return scalar_value(node);
  return to_list(node.items, node_value);
}

}  // namespace

Result<Value> parse_interfaces(std::string_view text) {
  const IfupdownFile file = read_ifupdown(text);
  if (file.error) return *file.error;
  List stanzas;
  for (const IfupdownStanza& stanza : file.stanzas) {
    Map value{
        {"keyword", stanza.keyword},
        {"words", to_list(stanza.words)},
        {"line", static_cast<std::int64_t>(stanza.line)}};
    List options;
    for (const IfupdownOption& option : stanza.options)
      options.push_back(entry_value(option.key, option.value, option.line));
    if (!options.empty()) value.emplace("options", std::move(options));
    stanzas.emplace_back(std::move(value));
  }
  return Value{Map{{"stanzas", std::move(stanzas)}}};
}

Result<Value> parse_ifcfg(std::string_view text) {
  const IfcfgFile file = read_ifcfg(text);
  if (file.error) return *file.error;
  Map values;
  for (const IfcfgEntry& entry : file.entries)
    values.insert_or_assign(entry.key, entry.value);
  return Value{Map{{"values", std::move(values)}}};
}

Result<Value> parse_networkd(std::string_view text) {
  return sections_value(read_ini(text, IniDialect::systemd), text);
}

Result<Value> parse_keyfile(std::string_view text) {
  const IniFile file = read_ini(text, IniDialect::keyfile);
  for (const IniEntry& entry : file.entries) {
    if (file.error || entry.section != "infiniband" || entry.key != "p-key" ||
        parse_integer(entry.value))
      continue;
    return error_at(entry.line, fmt::format("p-key '{}' is no decimal number", entry.value));
  }
  return sections_value(file, text);
}

Result<Value> parse_netplan(std::string_view text) {
  SourceMap sources;
  const FileId file = sources.add("netplan", std::string{text});
  Diagnostics diagnostics;
  const yaml::Node root = yaml::parse(sources, file, diagnostics, limits::kNodeFileBytes);
  if (diagnostics.has_errors()) return first_problem(sources, diagnostics);
  const yaml::Node* network = root.find("network");
  if (network == nullptr || !network->is_mapping()) return error_at(1, "no mapping 'network'");
  return node_value(root);
}

}  // namespace fabric::providers
