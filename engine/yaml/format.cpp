// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/format.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "engine/yaml/parse.hpp"
#include "engine/yaml/printer.hpp"

namespace fabric::yaml {

namespace {

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse()
bool is_same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.text == b.text && a.quoted == b.quoted &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), is_same) &&
         std::equal(
             a.entries.begin(),
             a.entries.end(),
             b.entries.begin(),
             b.entries.end(),
             // NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse()
             [](const Entry& one, const Entry& other) {
               return one.key == other.key && one.key_quoted == other.key_quoted &&
                      is_same(one.value, other.value);
             });
}

// The first lone '\r': some readers of YAML end a line there, and the tree's places don't.
std::optional<std::uint32_t> lone_carriage_return(std::string_view text) {
  for (std::size_t at = text.find('\r'); at != std::string_view::npos;
       at = text.find('\r', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] != '\n') return static_cast<std::uint32_t>(at);
  }
  return std::nullopt;
}

bool reads_as(const std::string& text, const Node& root, const Printer& printed) {
  SourceMap sources;
  const FileId file = sources.add("formatted", text);
  Diagnostics diagnostics;
  const Node again = parse(sources, file, diagnostics);
  if (diagnostics.has_errors() || !is_same(root, again)) return false;
  Printer second{text, again};
  second.print();
  return second.refused().empty() && second.text() == text &&
         second.comments() == printed.comments();
}

}  // namespace

std::optional<Formatted> format(const SourceMap& sources, FileId file, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.count(Severity::error);
  const Node root = parse(sources, file, diagnostics);
  if (diagnostics.count(Severity::error) != errors) return std::nullopt;
  const std::string& text = sources.text(file);
  if (const std::optional<std::uint32_t> place = lone_carriage_return(text)) {
    diagnostics
        .error(
            "yaml-syntax", {file, *place, *place + 1}, "a carriage return alone ends no line here")
        .with_help("end each line with a line feed");
    return std::nullopt;
  }
  Printer printer{text, root};
  printer.print();
  for (const Printer::Refused& each : printer.refused())
    diagnostics.error("yaml-syntax", each.place, std::string{each.why});
  if (!printer.refused().empty()) return std::nullopt;
  return Formatted{printer.text(), reads_as(printer.text(), root, printer)};
}

}  // namespace fabric::yaml
