// SPDX-License-Identifier: Apache-2.0
// Values that stand behind their key: scalars over several lines, and brackets.
#include <algorithm>
#include <string>
#include <string_view>

#include "engine/yaml/extent.hpp"
#include "engine/yaml/printer.hpp"

namespace fabric::yaml {

namespace {

constexpr std::size_t kStep = 2;
constexpr std::string_view kBlank = " \t\r";

std::string_view without_line_end(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(kBlank) == std::string_view::npos;
}

std::size_t leading_spaces(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// Blanks at the end of a line of a plain or quoted scalar count for nothing, but for one behind a
// backslash.
std::string_view without_blank_end(std::string_view line) {
  const std::size_t last = line.find_last_not_of(kBlank);
  if (last == std::string_view::npos) return {};
  const bool escaped = line[last] == '\\' && last + 1 < line.size() && line[last + 1] != '\r';
  return line.substr(0, escaped ? last + 2 : last + 1);
}

// The next line of `text` from `at` on; `at` is behind its end then.
std::string_view next_line(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::string_view line = text.substr(at, end - at);
  at = std::min(end + 1, text.size());
  return without_line_end(line);
}

struct BlockHeader {
  std::string indicators;  // "|", ">-", "|2+"
  std::string comment;     // with preceding blanks
  std::size_t indent = 0;  // the digit; 0 = none

  bool keeps_line_ends() const { return indicators.find('+') != std::string::npos; }
};

BlockHeader header_of(std::string_view line) {
  BlockHeader header;
  const std::size_t end = std::min(line.find_first_of(" \t\r#"), line.size());
  header.indicators = std::string{line.substr(0, end)};
  for (const char c : header.indicators) {
    if (c >= '1' && c <= '9') header.indent = static_cast<std::size_t>(c - '0');
  }
  const std::size_t comment = line.find('#', end);
  if (comment != std::string_view::npos)
    header.comment = std::string(std::max<std::size_t>(comment - end, 1), ' ') +
                     canonical_comment(line.substr(comment));
  return header;
}

// Marks that the value has no line's end though the text now gets one.
void strip_line_end(BlockHeader& header) {
  if (header.indicators.find('-') != std::string::npos) return;
  std::erase(header.indicators, '+');
  header.indicators += '-';
}

}  // namespace

// The first line of a scalar is followed by the others at `indent`; what lies between lines is
// folded, so it may be moved.
void Printer::scalar_lines(std::string_view raw, std::size_t indent) {
  std::size_t at = 0;
  for (bool first = true; at < raw.size(); first = false) {
    const bool is_last = raw.find('\n', at) == std::string_view::npos;
    std::string_view line = next_line(raw, at);
    if (!is_last) line = without_blank_end(line);
    if (!first) {
      out_ += '\n';
      line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
      if (!line.empty()) blanks(indent);
    }
    out_ += line;
    // The last character of a scalar is never a line end.
    if (is_last) break;
  }
}

// The number of blanks before the lines of a block scalar that are not part of its value, by the
// first line that shows it.
std::size_t Printer::blanks_outside(const Node& node) const {
  std::size_t at = node.range.begin;
  next_line(text_, at);
  std::size_t in_value = 0;
  const std::string_view value = node.text;
  while (in_value < value.size() &&
         is_blank(value.substr(in_value, value.find('\n', in_value) - in_value)))
    in_value = std::min(value.find('\n', in_value), value.size() - 1) + 1;
  const std::size_t within = leading_spaces(value.substr(std::min(in_value, value.size())));
  while (at < text_.size()) {
    const std::string_view line = next_line(text_, at);
    if (is_blank(line)) continue;
    return in_value >= value.size() ? std::string_view::npos
                                    : leading_spaces(line) - std::min(leading_spaces(line), within);
  }
  return std::string_view::npos;
}

void Printer::block_scalar(const Node& node, std::size_t indent) {
  std::size_t at = node.range.begin;
  BlockHeader header = header_of(next_line(text_, at));
  const std::size_t inner = indent + (header.indent == 0 ? kStep : header.indent);
  std::string lines;
  const std::size_t outside = blanks_outside(node);
  std::size_t blank_lines = 0;  // lines that are content only if more follows
  std::size_t end = std::min(text_.find('\n', node.range.begin), text_.size());
  while (at < text_.size()) {
    const bool has_end = text_.find('\n', at) != std::string_view::npos;
    const std::size_t begin = at;
    const std::string_view line = next_line(text_, at);
    const bool blank = is_blank(line);
    if (!blank && begin >= node.range.end) break;
    // Blanks further in than the content are content.
    if (blank && line.size() <= outside) {
      if (has_end) ++blank_lines;
      continue;
    }
    lines.append(blank_lines + 1, '\n').append(inner, ' ') +=
        line.substr(std::min(outside, line.size()));
    blank_lines = 0;
    end = begin + line.size();
    if (!has_end) strip_line_end(header);
  }
  out_ += header.indicators + header.comment + lines;
  if (header.keeps_line_ends()) {
    out_.append(blank_lines + 1, '\n');
    blank_lines_count_ = true;
  }
  cursor_ = static_cast<std::uint32_t>(end);
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse()
void Printer::flow(const Node& node) {
  const std::size_t outer = line_indent();
  const std::size_t inner = outer + kStep;
  const bool is_list = node.is_sequence();
  const std::uint32_t close = node.range.end - 1;
  if (close <= node.range.begin || text_[close] != (is_list ? ']' : '}')) {
    refuse(node.range, "the text in these brackets is not formatted: its end is not clear");
    return;
  }
  out_ += text_[node.range.begin];
  cursor_ = node.range.begin + 1;
  const std::size_t members = is_list ? node.items.size() : node.entries.size();
  for (std::size_t i = 0; i < members; ++i) {
    const Node* item = is_list ? &node.items[i] : nullptr;
    const bool is_pair = is_list && item->is_mapping() && is_block(*item);
    const std::uint32_t begin = !is_list  ? node.entries[i].key_range.begin
                                : is_pair ? item->entries.front().key_range.begin
                                          : item->range.begin;
    if (i != 0) out_ += ',';
    const Gap gap = pass_gap(begin);
    remarks(gap, inner, false);
    if (gap.has_line_end || !gap.remarks.empty()) {
      end_line();
      if (gap.ends_with_blank_line && i != 0) out_ += '\n';
      blanks(inner);
    } else if (i != 0) {
      out_ += ' ';
    }
    if (!is_list) {
      flow_member(node.entries[i], false);
    } else if (is_pair) {
      flow_member(item->entries.front(), true);
    } else {
      inline_value(*item, line_indent());
    }
  }
  const std::string_view rest = text_.substr(cursor_, close - cursor_);
  const Gap gap = pass_gap(close);
  const bool on_own_line = (gap.has_line_end && members != 0) || !gap.remarks.empty();
  const std::uint32_t comma = skip_space(text_, static_cast<std::uint32_t>(close - rest.size()));
  if (on_own_line && members != 0 && comma < close && text_[comma] == ',') out_ += ',';
  remarks(gap, inner, false);
  if (on_own_line) {
    end_line();
    blanks(outer);
  }
  out_ += text_[close];
  cursor_ = node.range.end;
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse()
void Printer::flow_member(const Entry& entry, bool is_in_list) {
  key(entry);
  const std::size_t inner = line_indent() + kStep;
  if (!has_colon()) {
    // `[? a]` has a mapping, and `[a]` has none.
    if (is_in_list) out_ += ": null";
    return;
  }
  const std::uint32_t colon = skip_space(text_, cursor_);
  out_ += ':';
  const Gap before = pass_gap(colon + 1);
  remarks(before, inner, false);
  if (!is_written(entry.value)) {
    // `a:` right before a bracket is a text to some readers.
    if (before.remarks.empty()) out_ += " null";
    return;
  }
  const Gap gap = pass_gap(entry.value.range.begin);
  remarks(gap, inner, false);
  if (before.remarks.empty() && gap.remarks.empty()) {
    out_ += ' ';
  } else {
    end_line();
    blanks(inner);
  }
  inline_value(entry.value, line_indent());
}

}  // namespace fabric::yaml
