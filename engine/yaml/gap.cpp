// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/gap.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace fabric::yaml
