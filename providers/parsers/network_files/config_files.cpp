#include "providers/parsers/network_files/config_files.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "engine/base/overloaded.hpp"
#include "engine/base/text.hpp"
#include "engine/yaml/parse.hpp"
#include "engine/yaml/scalar.hpp"
#include "providers/parsers/lines.hpp"
#include "providers/parsers/network_files/ifcfg_file.hpp"
#include "providers/parsers/network_files/ifupdown_file.hpp"

namespace fabric::providers {

namespace {

Value entry_value(std::string_view key, std::string_view value, std::size_t line) {
  return Map{{"key", key}, {"value", value}, {"line", static_cast<std::int64_t>(line)}};
}

// Sections of `Key=value` lines.
class Sections {
 public:
  Result<std::monostate> read(std::string_view line, std::size_t number) {
    if (line.front() == '[') {
      if (line.size() < 3 || line.back() != ']')
        return error_at(number, fmt::format("'{}' is no section", line));
      sections_.emplace_back(
          Map{{"name", line.substr(1, line.size() - 2)},
              {"line", static_cast<std::int64_t>(number)},
              {"entries", List{}}});
      return std::monostate{};
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return error_at(number, fmt::format("expected [Section] or Key=value, found '{}'", line));
    if (sections_.empty())
      return error_at(number, fmt::format("'{}' stands before any section", line));
    sections_.back().as_map()->at("entries").as_list()->push_back(
        entry_value(trim(line.substr(0, equals)), trim(line.substr(equals + 1)), number));
    return std::monostate{};
  }

  bool empty() const { return sections_.empty(); }
  const List& list() const { return sections_; }
  Value value() && { return Map{{"sections", std::move(sections_)}}; }

 private:
  List sections_;
};

// A line that ends with a backslash goes on in the next, as in all of systemd's files.
Result<Sections> read_sections(std::string_view text, bool joins_lines) {
  Sections sections;
  std::string pending;
  std::size_t start = 0;
  std::size_t number = 0;
  for (const std::string_view raw : split_lines(text)) {
    ++number;
    const std::string_view line = trim(raw);
    const bool comment = !line.empty() && (line.front() == '#' || line.front() == ';');
    if (comment || (line.empty() && pending.empty())) continue;
    if (pending.empty()) start = number;
    pending += pending.empty() ? "" : " ";
    const bool goes_on = joins_lines && line.ends_with('\\');
    pending += goes_on ? line.substr(0, line.size() - 1) : line;
    if (goes_on || trim(pending).empty()) continue;
    FABRIC_TRY(sections.read(trim(pending), start));
    pending.clear();
  }
  if (!trim(pending).empty()) return error_at(start, "the file ends in the middle of a line");
  if (sections.empty()) return error_at(number, "no section");
  return sections;
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
  List list;
  for (const yaml::Node& item : node.items)
    list.push_back(node_value(item));
  return list;
}

}  // namespace

Result<Value> parse_interfaces(std::string_view text) {
  const IfupdownFile file = read_ifupdown(text);
  if (file.error) return *file.error;
  List stanzas;
  for (const IfupdownStanza& stanza : file.stanzas) {
    List words;
    for (const std::string& word : stanza.words)
      words.emplace_back(word);
    Map value{
        {"keyword", stanza.keyword},
        {"words", std::move(words)},
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
  return FABRIC_TRY(read_sections(text, true)).value();
}

Result<Value> parse_keyfile(std::string_view text) {
  Sections sections = FABRIC_TRY(read_sections(text, false));
  for (const Value& section : sections.list()) {
    if (section.string_or_empty("name") != "infiniband") continue;
    for (const Value& entry : *section.find("entries")->as_list()) {
      const std::string value = entry.string_or_empty("value");
      if (entry.string_or_empty("key") != "p-key" || parse_integer(value)) continue;
      return error_at(
          static_cast<std::size_t>(*entry.find("line")->as_integer()),
          fmt::format("p-key '{}' is no decimal number", value));
    }
  }
  return std::move(sections).value();
}

Result<Value> parse_netplan(std::string_view text) {
  SourceMap sources;
  const FileId file = sources.add("netplan", std::string{text});
  Diagnostics diagnostics;
  const yaml::Node root = yaml::parse(sources, file, diagnostics);
  if (diagnostics.has_errors()) return first_problem(sources, diagnostics);
  const yaml::Node* network = root.find("network");
  if (network == nullptr || !network->is_mapping()) return error_at(1, "no mapping 'network'");
  return node_value(root);
}

}  // namespace fabric::providers
