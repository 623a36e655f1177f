// SPDX-License-Identifier: Apache-2.0
#include "engine/report/line_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace fabric::report {

namespace {

constexpr std::size_t kContext = 3;
// The greatest number of line pairs to compare, in the part where the texts differ.
constexpr std::size_t kMostPairs = 16'000'000;

using Lines = std::vector<std::string_view>;

// Each with its end, so that a missing last one is a difference.
Lines lines_of(std::string_view text) {
  Lines lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

struct Edit {
  char mark = ' ';  // ' ', '-' or '+'
  std::string_view line;
};

void append_all(std::vector<Edit>& edits, char mark, const Lines& lines) {
  for (const std::string_view line : lines)
    edits.push_back({mark, line});
}

// Appends the edits of the longest common subsequence.
void append_edits(std::vector<Edit>& edits, const Lines& before, const Lines& after) {
  const std::size_t width = after.size() + 1;
  if (before.size() * after.size() > kMostPairs) {
    append_all(edits, '-', before);
    append_all(edits, '+', after);
    return;
  }
  // The length of the common subsequence of the lines from (i, j) on.
  std::vector<std::uint32_t> common((before.size() + 1) * width, 0);
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      common[i * width + j] =
          before[i] == after[j] ? common[(i + 1) * width + j + 1] + 1
                                : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      edits.push_back({' ', before[i]});
      ++i;
      ++j;
    } else if (
        j == after.size() ||
        (i < before.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      edits.push_back({'-', before[i++]});
    } else {
      edits.push_back({'+', after[j++]});
    }
  }
}

std::vector<Edit> edits_of(Lines before, Lines after) {
  std::size_t same = 0;
  while (same < before.size() && same < after.size() && before[same] == after[same])
    ++same;
  std::size_t same_at_end = 0;
  while (same_at_end < before.size() - same && same_at_end < after.size() - same &&
         before[before.size() - 1 - same_at_end] == after[after.size() - 1 - same_at_end])
    ++same_at_end;
  std::vector<Edit> edits;
  const auto first = static_cast<std::ptrdiff_t>(same);
  const auto last = static_cast<std::ptrdiff_t>(same_at_end);
  append_all(edits, ' ', Lines{before.begin(), before.begin() + first});
  append_edits(
      edits,
      Lines{before.begin() + first, before.end() - last},
      Lines{after.begin() + first, after.end() - last});
  append_all(edits, ' ', Lines{before.end() - last, before.end()});
  return edits;
}

// A range of edits, with the lines of both texts that it covers.
class Hunk {
 public:
  Hunk(std::size_t before, std::size_t after) : before_{before}, after_{after} {}

  void add(const Edit& edit) {
    lines_before_ += edit.mark == '+' ? 0U : 1U;
    lines_after_ += edit.mark == '-' ? 0U : 1U;
    body_ += edit.mark;
    body_ += edit.line;
    if (!edit.line.ends_with('\n')) body_ += "\n\\ No newline at end of file\n";
  }

  std::string text() const {
    return fmt::format(
        "@@ -{} +{} @@\n{}", range(before_, lines_before_), range(after_, lines_after_), body_);
  }

 private:
  // "12,4" from the number of lines before it.
  static std::string range(std::size_t skipped, std::size_t lines) {
    return fmt::format("{},{}", lines == 0 ? skipped : skipped + 1, lines);
  }

  std::size_t before_, after_;
  std::size_t lines_before_ = 0, lines_after_ = 0;
  std::string body_;
};

}  // namespace

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const std::vector<Edit> edits = edits_of(lines_of(before), lines_of(after));
  std::string text = fmt::format("--- {0}\n+++ {0}\n", path);
  std::size_t line_before = 0;
  std::size_t line_after = 0;
  for (std::size_t at = 0; at < edits.size();) {
    const auto changed = std::find_if(
        edits.begin() + static_cast<std::ptrdiff_t>(at), edits.end(), [](const Edit& edit) {
          return edit.mark != ' ';
        });
    if (changed == edits.end()) break;
    const auto first = static_cast<std::size_t>(changed - edits.begin());
    const std::size_t begin = std::max(at, first - std::min(first, kContext));
    line_before += begin - at;
    line_after += begin - at;
    // A hunk ends where as many lines are equal as two contexts have.
    std::size_t end = first;
    for (std::size_t next = first; next < edits.size() && next <= end + 2 * kContext; ++next)
      if (edits[next].mark != ' ') end = next;
    end = std::min(edits.size(), end + kContext + 1);
    Hunk hunk{line_before, line_after};
    for (at = begin; at < end; ++at) {
      hunk.add(edits[at]);
      line_before += edits[at].mark == '+' ? 0U : 1U;
      line_after += edits[at].mark == '-' ? 0U : 1U;
    }
    text += hunk.text();
  }
  return text;
}

}  // namespace fabric::report
