// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.hpp"

#include <algorithm>
#include <charconv>

namespace fabric {

namespace {

// Told one by one: a search among them is a call for each character.
bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0;;) {
    while (begin < text.size() && is_blank(text[begin]))
      ++begin;
    if (begin == text.size()) return words;
    std::size_t end = begin;
    while (end < text.size() && !is_blank(text[end]))
      ++end;
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
}

std::vector<std::string_view> name_words(std::string_view text) {
  const auto in_name = [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || c == '-' || c == '_' || c == '.';
  };
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && in_name(text[end]))
      ++end;
    std::string_view word = text.substr(begin, end - begin);
    while (!word.empty() && (word.back() == '.' || word.back() == '-'))
      word.remove_suffix(1);
    if (!word.empty()) words.push_back(word);
    begin = end + 1;
  }
  return words;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  if (text.empty()) return {};
  if (text.back() == '\n') text.remove_suffix(1);
  std::vector<std::string_view> lines = split(text, '\n');
  for (std::string_view& line : lines) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  }
  return lines;
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::string last_line(std::string_view text) {
  const std::vector<std::string_view> lines = split_lines(trim(text));
  return lines.empty() ? std::string{} : std::string{trim(lines.back())};
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::string to_lower(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_previous(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_previous[j - 2] + 1);
      }
    }
    std::swap(before_previous, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

namespace {

std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits += c;
  }
  return digits;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  // A third of the letters wrong is still a typo; more is another word.
  const std::size_t tolerance = std::max<std::size_t>(1, word.size() / 3);
  std::size_t best_distance = tolerance + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    // No edit of less than the difference in length: a word of a megabyte is near to nothing.
    const std::size_t apart = word.size() > candidate.size() ? word.size() - candidate.size()
                                                             : candidate.size() - word.size();
    if (apart > best_distance) continue;
    const std::size_t distance = edit_distance(to_lower(word), to_lower(candidate));
    const bool closer_number = distance == best_distance && !best.empty() &&
                               digits_of(best) != digits_of(word) &&
                               digits_of(candidate) == digits_of(word);
    if (distance < best_distance || closer_number) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace fabric
