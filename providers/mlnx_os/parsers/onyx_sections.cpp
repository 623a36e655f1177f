// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/parsers/onyx_sections.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// The colon between key and value has a blank behind it or ends the line: "4:42:27 ago" and
// "::1" have none.
std::optional<KeyValue> keyed(std::string_view line) {
  for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
    if (at == 0 || (at + 1 < line.size() && line[at + 1] != ' ' && line[at + 1] != '\t')) continue;
    return KeyValue{trim(line.substr(0, at)), trim(line.substr(at + 1))};
  }
  return std::nullopt;
}

// "576    packets" to "packets", "576"
std::optional<KeyValue> counter(std::string_view line) {
  const std::size_t end = line.find_first_of(" \t");
  if (end == std::string_view::npos || !parse_integer(line.substr(0, end))) return std::nullopt;
  return KeyValue{trim(line.substr(end)), line.substr(0, end)};
}

class Reader {
 public:
  explicit Reader(std::span<const std::string> lines) : lines_{lines} {}

  Result<std::vector<OnyxSection>> read() {
    for (index_ = 0; index_ < lines_.size(); ++index_) {
      const std::string_view text = trim(lines_[index_]);
      if (!text.empty()) FABRIC_TRY(read_line(text, indent_of(lines_[index_])));
    }
    if (!has_value_) return error_at(1, "no 'key : value'");
    return std::move(sections_);
  }

 private:
  struct Heading {
    std::string text;
    std::size_t indent;
  };

  std::size_t number() const { return index_ + 1; }

  Result<std::monostate> read_line(std::string_view text, std::size_t indent) {
    if (text.find_first_not_of("-=") == std::string_view::npos)
      return error_at(number(), "a table: its columns can't be told apart, use '| json-print'");
    while (!headings_.empty() && headings_.back().indent >= indent)
      close_heading();
    const auto entry = keyed(text);
    if (entry && entry->value.empty() && deeper_follows(indent)) {
      headings_.push_back({std::string{entry->key}, indent});
      changed_ = true;
      return std::monostate{};
    }
    if (entry) return add(entry->key, entry->value);
    if (const auto count = counter(text)) return add(count->key, count->value);
    if (headings_.empty())
      return error_at(number(), fmt::format("expected 'key : value', found '{}'", text));
    return add({}, text);
  }

  void close_heading() {
    headings_.pop_back();
    changed_ = true;
  }

  // The next line that has text is indented deeper.
  bool deeper_follows(std::size_t indent) const {
    for (std::size_t next = index_ + 1; next < lines_.size(); ++next) {
      if (!trim(lines_[next]).empty()) return indent_of(lines_[next]) > indent;
    }
    return false;
  }

  Result<std::monostate> add(std::string_view key, std::string_view value) {
    if (changed_ || sections_.empty()) {
      OnyxSection& section = sections_.emplace_back();
      section.line = number();
      for (const Heading& heading : headings_)
        section.headings.push_back(heading.text);
      changed_ = false;
    }
    OnyxEntry entry{std::string{key}, std::string{value}, number()};
    if (value == "N/A" || value == "N\\A") entry.value = std::nullopt;
    has_value_ = has_value_ || (!key.empty() && !value.empty());
    sections_.back().entries.push_back(std::move(entry));
    return std::monostate{};
  }

  std::span<const std::string> lines_;
  std::size_t index_ = 0;
  std::vector<OnyxSection> sections_;
  std::vector<Heading> headings_;  // that are open
  bool changed_ = true;            // since the last entry
  bool has_value_ = false;
};

}  // namespace

Result<std::vector<OnyxSection>> read_onyx_sections(std::span<const std::string> lines) {
  return Reader{lines}.read();
}

}  // namespace fabric::providers
