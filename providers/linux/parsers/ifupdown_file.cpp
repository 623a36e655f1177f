// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/parsers/ifupdown_file.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

constexpr std::array<std::string_view, 10> kOpening = {
    "iface",
    "auto",
    "mapping",
    "source",
    "source-directory",
    "rename",
    "template",
    "no-auto-down",
    "no-scripts",
    "vlan"};

bool opens_stanza(std::string_view word) {
  return word.starts_with("allow-") || std::ranges::find(kOpening, word) != kOpening.end();
}

bool has_options(const IfupdownStanza& stanza) {
  return stanza.keyword == "iface" || stanza.keyword == "mapping" || stanza.keyword == "vlan";
}

bool needs_word(std::string_view keyword) {
  return keyword != "no-auto-down" && keyword != "no-scripts";
}

// One logical line: a line that ends with a backslash continues in the next.
struct LogicalLine {
  std::string text;
  std::size_t number = 1;
  std::size_t last = 1;
};

std::vector<LogicalLine> logical_lines(std::string_view text) {
  std::vector<LogicalLine> lines;
  bool goes_on = false;
  std::size_t number = 0;
  for (std::string_view line : split_lines(text)) {
    ++number;
    const bool comment = trim(line).starts_with('#');
    const bool unfinished = !comment && line.ends_with('\\');
    if (unfinished) line.remove_suffix(1);
    if (goes_on) {
      lines.back().text += line;
    } else {
      lines.push_back({std::string{line}, number, number});
    }
    lines.back().last = number;
    goes_on = unfinished;
  }
  return lines;
}

void open_stanza(IfupdownFile& file, const std::vector<std::string_view>& words, std::size_t line) {
  IfupdownStanza stanza{std::string{words[0]}, {}, line, {}, line};
  stanza.words.assign(words.begin() + 1, words.end());
  if (stanza.words.empty() && needs_word(stanza.keyword) && !file.error) {
    file.error =
        Error{ErrorCode::invalid, fmt::format("line {}: '{}' names nothing", line, stanza.keyword)};
  }
  file.stanzas.push_back(std::move(stanza));
}

// Lines of mako, the template engine of ifupdown2: "%for i in range(4):", "<%def name="x()">", and
// the lines from "<%" to "%>".
class Template {
 public:
  bool takes(std::string_view line) {
    const bool inside = block_;
    if (!inside && !line.starts_with('%') && !line.starts_with("<%") && !line.starts_with("</%"))
      return false;
    if (line.starts_with("<%") || inside) {
      const bool is_tag = line.starts_with("<%def") || line.starts_with("<%block");
      block_ = !is_tag && line.find("%>") == std::string_view::npos;
      if (!inside && is_tag && !line.ends_with("/>")) ++depth_;
    } else if (line.starts_with("</%")) {
      close();
    } else {
      count(trim(line.substr(1)));
    }
    return true;
  }
  // True if the template decides whether, or how often, these lines exist.
  bool decides() const { return depth_ > 0; }

 private:
  void close() {
    if (depth_ > 0) --depth_;
  }

  void count(std::string_view words) {
    constexpr std::string_view kGoOn[] = {"else", "elif", "except", "finally"};
    const bool goes_on = std::any_of(
        std::begin(kGoOn), std::end(kGoOn), [&](auto each) { return words.starts_with(each); });
    if (words.starts_with("end")) {
      close();
    } else if (words.ends_with(':') && !goes_on) {
      ++depth_;
    }
  }

  bool block_ = false;
  std::size_t depth_ = 0;
};

}  // namespace

IfupdownFile read_ifupdown(std::string_view text) {
  IfupdownFile file;
  Template program;
  // The lines of the template behind the last stanza: of it, if an option of it follows.
  std::vector<IfupdownOption> between;
  for (const LogicalLine& line : logical_lines(text)) {
    const std::string_view content = trim(line.text);
    if (content.empty() || content.front() == '#') continue;
    if (program.takes(content)) {
      between.push_back({"%", std::string{content}, line.number});
      continue;
    }
    const std::vector<std::string_view> words = split_words(content);
    if (opens_stanza(words[0])) {
      open_stanza(file, words, line.number);
      file.stanzas.back().templated = program.decides();
      between.clear();
    } else if (!file.stanzas.empty() && has_options(file.stanzas.back())) {
      IfupdownStanza& stanza = file.stanzas.back();
      stanza.templated = stanza.templated || program.decides() || !between.empty();
      stanza.options.insert(stanza.options.end(), between.begin(), between.end());
      between.clear();
      const std::string_view value = trim(content.substr(words[0].size()));
      stanza.options.push_back({std::string{words[0]}, std::string{value}, line.number});
      stanza.last_line = line.last;
    } else if (!file.error) {
      file.error = Error{
          ErrorCode::invalid,
          fmt::format("line {}: option '{}' belongs to no iface stanza", line.number, words[0])};
    }
  }
  return file;
}

}  // namespace fabric::providers
