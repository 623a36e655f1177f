// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/shell/pattern.hpp"

#include <cctype>

namespace fabric::lab::shell {
namespace {

bool in_class(std::string_view name, char c) {
  const int value = static_cast<unsigned char>(c);
  if (name == "digit") return std::isdigit(value) != 0;
  if (name == "alpha") return std::isalpha(value) != 0;
  if (name == "alnum") return std::isalnum(value) != 0;
  if (name == "space") return std::isspace(value) != 0;
  if (name == "upper") return std::isupper(value) != 0;
  if (name == "lower") return std::islower(value) != 0;
  if (name == "xdigit") return std::isxdigit(value) != 0;
  if (name == "punct") return std::ispunct(value) != 0;
  return false;
}

struct Bracket {
  bool valid = false;
  bool matched = false;
  std::size_t length = 0;  // with its brackets
};

Bracket match_bracket(std::string_view pattern, char c) {
  Bracket result;
  std::size_t at = 1;
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  for (bool first = true; at < pattern.size(); first = false) {
    if (pattern[at] == ']' && !first) {
      result.valid = true;
      result.matched = result.matched != negated;
      result.length = at + 1;
      return result;
    }
    if (pattern.substr(at, 2) == "[:") {
      const std::size_t end = pattern.find(":]", at + 2);
      if (end != std::string_view::npos) {
        result.matched = result.matched || in_class(pattern.substr(at + 2, end - at - 2), c);
        at = end + 2;
        continue;
      }
    }
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    const char low = pattern[at++];
    char high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      high = pattern[at + 1];
      at += 2;
    }
    result.matched = result.matched || (low <= c && c <= high);
  }
  return result;  // no closing bracket: a literal '['
}

// How much of the pattern one character takes; 0 if it does not match.
std::size_t match_one(std::string_view pattern, char c) {
  if (pattern.front() == '?') return 1;
  if (pattern.front() == '[') {
    const Bracket bracket = match_bracket(pattern, c);
    if (bracket.valid) return bracket.matched ? bracket.length : 0;
  }
  if (pattern.front() == '\\' && pattern.size() > 1) return pattern[1] == c ? 2 : 0;
  return pattern.front() == c ? 1 : 0;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t in_pattern = 0;
  std::size_t in_text = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (in_text < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      star_text = in_text;
      continue;
    }
    const std::size_t taken =
        in_pattern < pattern.size() ? match_one(pattern.substr(in_pattern), text[in_text]) : 0;
    if (taken > 0) {
      in_pattern += taken;
      ++in_text;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      in_text = ++star_text;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*')
    ++in_pattern;
  return in_pattern == pattern.size();
}

bool has_wildcard(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
      continue;
    }
    if (pattern[i] == '*' || pattern[i] == '?') return true;
    // Without its other half, as the command `[`, it is a character like others.
    if (pattern[i] == '[' && pattern.find(']', i + 1) != std::string_view::npos) return true;
  }
  return false;
}

std::string unescape(std::string_view pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    text += pattern[i];
  }
  return text;
}

}  // namespace fabric::lab::shell
