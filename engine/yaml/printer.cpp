// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/printer.hpp"

#include <algorithm>
#include <utility>

#include "engine/yaml/extent.hpp"
#include "engine/yaml/parse.hpp"

namespace fabric::yaml {

namespace {

constexpr std::string_view kBlank = " \t\r";
constexpr std::string_view kIndicators = "-:,?";

bool is_blank(char c) {
  return kBlank.find(c) != std::string_view::npos;
}

std::string_view without_blank_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kBlank);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// `---`, `...` and directives, which stand at the begin of a line; 0 where none does.
std::size_t mark_length(std::string_view line) {
  if (line.starts_with('%')) return without_blank_end(line).size();
  if (!line.starts_with("---") && !line.starts_with("...")) return 0;
  return line.size() == 3 || is_blank(line[3]) ? 3 : 0;
}

class GapReader {
 public:
  GapReader(std::string_view text, std::uint32_t begin, std::uint32_t end)
      : text_{text.substr(0, end)}, at_{begin}, on_line_{!begins_text()} {}

  Gap read() && {
    while (at_ < text_.size())
      step();
    gap_.ends_with_blank_line = line_ends_ > (on_line_ ? 1U : 0U);
    return std::move(gap_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      gap_.has_line_end = true;
      ++line_ends_;
      ++at_;
    } else if (is_blank(c)) {
      ++at_;
    } else if (c == '#' && (begins_line() || is_blank(text_[at_ - 1]))) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      put(canonical_comment(text_.substr(at_, end - at_)), end);
    } else if (const std::size_t length = begins_line() ? mark_length(rest_of_line()) : 0) {
      put(std::string{text_.substr(at_, length)}, at_ + length);
    } else {
      if (kIndicators.find(c) == std::string_view::npos && !gap_.strange)
        gap_.strange = static_cast<std::uint32_t>(at_);
      // An indicator is something to stand behind.
      line_ends_ = 0;
      on_line_ = true;
      ++at_;
    }
  }

  bool begins_text() const { return at_ == 0 || text_.substr(0, at_) == kByteOrderMark; }
  bool begins_line() const { return begins_text() || text_[at_ - 1] == '\n'; }

  std::string_view rest_of_line() const {
    return text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
  }

  void put(std::string remark, std::size_t end) {
    Remark found;
    found.text = std::move(remark);
    found.column = column_of(text_, static_cast<std::uint32_t>(at_));
    while (found.blanks < found.column && is_blank(text_[at_ - 1 - found.blanks]))
      ++found.blanks;
    found.is_trailing = on_line_ && line_ends_ == 0;
    found.after_blank_line = line_ends_ > 1 || (line_ends_ == 1 && !on_line_);
    gap_.remarks.push_back(std::move(found));
    line_ends_ = 0;
    on_line_ = true;
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_;
  Gap gap_;
  std::size_t line_ends_ = 0;  // since the last thing that is no blank
  bool on_line_;               // there is such a thing, or a token before the gap
};

constexpr std::size_t kStep = 2;

bool is_mark(const Remark& remark) {
  return !remark.text.starts_with('#');
}

}  // namespace

Gap gap_between(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  return GapReader{text, begin, end}.read();
}

std::size_t column_of(std::string_view text, std::uint32_t offset) {
  if (offset == 0) return 0;
  const std::size_t line_end = text.rfind('\n', offset - 1);
  return line_end == std::string_view::npos ? offset : offset - line_end - 1;
}

std::string canonical_comment(std::string_view comment) {
  const std::string_view text = without_blank_end(comment);
  const bool is_close =
      text.size() > 1 && text[1] != ' ' && text[1] != '\t' && text[1] != '#' && text[1] != '!';
  return is_close ? "# " + std::string{text.substr(1)} : std::string{text};
}

void Printer::print() {
  if (text_.starts_with(kByteOrderMark)) cursor_ = kByteOrderMark.size();
  const bool is_empty = root_.kind == Kind::null && !is_written(root_);
  if (!is_empty && is_block(root_)) {
    block_collection(root_, 0, false);
  } else if (!is_empty) {
    new_line(root_.range.begin, 0);
    inline_value(root_, 0);
  }
  depth_ = 0;
  const Gap rest = pass_gap(static_cast<std::uint32_t>(text_.size()));
  remarks(rest, 0, true);
  end_line();
  // Only the first one is none of the text.
  if (out_.starts_with(kByteOrderMark)) out_.insert(0, kByteOrderMark);
}

bool Printer::is_block(const Node& node) const {
  if (node.is_sequence()) return text_[node.range.begin] != '[';
  return node.is_mapping() && text_[node.range.begin] != '{';
}

// An empty value has a place too: that of what stands before it.
bool Printer::is_written(const Node& node) const {
  if (node.kind != Kind::null) return true;
  return node.range.begin >= cursor_ && node.range.end > node.range.begin &&
         null_word_end(text_, node.range.begin) == node.range.end;
}

Gap Printer::pass_gap(std::uint32_t end) {
  Gap gap = gap_between(text_, cursor_, std::max(cursor_, end));
  cursor_ = std::max(cursor_, end);
  if (gap.strange) {
    refuse(
        {root_.range.file, *gap.strange, *gap.strange + 1},
        "the line that begins here is not formatted: put a blank before the '#' of a comment, and "
        "each thing on a line of its own");
  }
  for (const Remark& remark : gap.remarks)
    comments_.push_back(remark.text);
  return gap;
}

void Printer::end_line() {
  if (!out_.empty() && out_.back() != '\n') out_ += '\n';
}

std::size_t Printer::line_indent() const {
  const std::size_t line_end = out_.rfind('\n');
  const std::size_t begin = line_end == std::string::npos ? 0 : line_end + 1;
  return std::min(out_.find_first_not_of(' ', begin), out_.size()) - begin;
}

// A comment belongs to the innermost collection that begins no further right than itself: also to
// one that ends before it, but never to one around what follows it.
std::size_t Printer::indent_of_comment(const Remark& remark, std::size_t indent) const {
  std::size_t found = indent;
  for (const Level& level : levels_) {
    if (level.column <= remark.column) found = std::max(found, level.indent);
  }
  return found;
}

// Puts them behind what is printed, or on lines of their own.
void Printer::remarks(const Gap& gap, std::size_t indent, bool by_column) {
  for (const Remark& remark : gap.remarks) {
    if (remark.is_trailing && !out_.empty() && out_.back() != '\n') {
      blanks(std::max<std::size_t>(remark.blanks, 1));
    } else {
      end_line();
      if (remark.after_blank_line && !out_.empty() && !blank_lines_count_) out_ += '\n';
      if (!is_mark(remark)) blanks(by_column ? indent_of_comment(remark, indent) : indent);
    }
    out_ += remark.text;
    blank_lines_count_ = false;
  }
}

// Prints everything before a key or a dash, and the blanks of its line.
void Printer::new_line(std::uint32_t token, std::size_t indent) {
  const Gap gap = pass_gap(token);
  remarks(gap, indent, true);
  end_line();
  if (gap.ends_with_blank_line && !out_.empty() && !blank_lines_count_) out_ += '\n';
  blank_lines_count_ = false;
  levels_.resize(depth_);
  blanks(indent);
}

void Printer::key(const Entry& entry) {
  const std::string_view written = raw(entry.key_range);
  const bool is_long = written.find('\n') != std::string_view::npos;
  if (is_long || written.starts_with('|') || written.starts_with('>'))
    refuse(entry.key_range, "a key over several lines is not formatted: write it on one line");
  constexpr std::size_t kLongestBeforeColon = 1024;  // YAML 1.2, 7.4.2: implicit keys
  if (written.size() > kLongestBeforeColon)
    refuse(entry.key_range, "a key of more than 1024 bytes is not formatted: shorten it");
  out_ += written;
  cursor_ = entry.key_range.end;
}

bool Printer::has_colon() const {
  const std::uint32_t colon = skip_space(text_, cursor_);
  return colon < text_.size() && text_[colon] == ':';
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse()
void Printer::block_mapping(const Node& node, std::size_t indent, bool behind_dash) {
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const Entry& entry = node.entries[i];
    if (i == 0) {
      // The blank lines and comments before the first key are within.
      levels_.resize(depth_);
      levels_.push_back({column_of(text_, entry.key_range.begin), indent});
      ++depth_;
    }
    if (i == 0 && behind_dash) {
      cursor_ = entry.key_range.begin;
    } else {
      new_line(entry.key_range.begin, indent);
    }
    key(entry);
    out_ += ':';
    block_value(entry.value, indent, false);
  }
  --depth_;
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse()
void Printer::block_sequence(const Node& node, std::size_t indent, bool behind_dash) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    // The dashes of `---` are none of a list.
    const std::uint32_t dash = i == 0 ? node.range.begin : skip_space(text_, cursor_);
    if (i == 0) {
      levels_.resize(depth_);
      levels_.push_back({column_of(text_, dash), indent});
      ++depth_;
    }
    if (i != 0 || !behind_dash) new_line(dash, indent);
    out_ += '-';
    cursor_ = dash + 1;
    block_value(node.items[i], indent, true);
  }
  --depth_;
}

// What a key or a dash at `indent` has: behind it, or on lines of its own.
// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse()
void Printer::block_value(const Node& node, std::size_t indent, bool behind_dash) {
  bool has_remarks = false;
  if (!behind_dash && has_colon()) {
    const Gap before = pass_gap(skip_space(text_, cursor_) + 1);
    remarks(before, indent + kStep, false);
    has_remarks = !before.remarks.empty();
  }
  if (!is_written(node)) return;
  if (is_block(node)) {
    block_collection(node, indent + kStep, behind_dash);
    return;
  }
  const Gap gap = pass_gap(node.range.begin);
  remarks(gap, indent + kStep, false);
  if (has_remarks || !gap.remarks.empty()) {
    end_line();
    blanks(indent + kStep);
  } else {
    out_ += ' ';
  }
  inline_value(node, indent);
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse()
void Printer::block_collection(const Node& node, std::size_t indent, bool behind_dash) {
  const std::uint32_t begin =
      node.is_mapping() ? node.entries.front().key_range.begin : node.range.begin;
  const bool fits = behind_dash && gap_between(text_, cursor_, begin).remarks.empty();
  if (fits) out_ += ' ';
  if (node.is_mapping()) {
    block_mapping(node, indent, fits);
  } else {
    block_sequence(node, indent, fits);
  }
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse()
void Printer::inline_value(const Node& node, std::size_t indent) {
  if (node.is_sequence() || node.is_mapping()) {
    flow(node);
    return;
  }
  const char first = node.is_scalar() && node.quoted ? text_[node.range.begin] : ' ';
  if (first == '|' || first == '>') {
    block_scalar(node, indent);
  } else {
    cursor_ = node.range.end;
    scalar_lines(raw(node.range), indent + kStep);
  }
}

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
