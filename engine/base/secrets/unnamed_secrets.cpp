// SPDX-License-Identifier: Apache-2.0
#include "engine/base/secrets/unnamed_secrets.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "engine/base/secrets/redaction.hpp"
#include "engine/base/text.hpp"

namespace fabric {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kKeyLength = 43;

bool is_base64(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/';
}

bool is_end_of_word(char c) {
  return c == ' ' || c == '\t' || c == '"' || c == '\'';
}

bool begins_word(std::string_view line, std::size_t at) {
  return at == 0 || line[at - 1] == '\n' || is_end_of_word(line[at - 1]);
}

// Where the login begins that the option at `at` is followed by; nowhere: it is none. Of letters in
// one word the last takes the value: "-sku user:PASSWORD".
std::size_t login_behind(std::string_view line, std::size_t at) {
  std::size_t end = at;
  if (line.substr(at).starts_with("--")) {
    end = std::min(line.find_first_of("= \t\"'", at), line.size());
    if (!to_lower(line.substr(at, end - at)).ends_with("user")) return kNone;
  } else {
    do
      ++end;
    while (end < line.size() && std::isalpha(static_cast<unsigned char>(line[end])) != 0 &&
           line[end - 1] != 'u' && line[end - 1] != 'U');
    if (end == at + 1 || (line[end - 1] != 'u' && line[end - 1] != 'U')) return kNone;
  }
  return std::min(line.find_first_not_of("= \t\"'", end), line.size());
}

std::string without_logins(const std::string& line) {
  std::string kept;
  std::size_t copied = 0;
  for (std::size_t at = line.find('-'); at != kNone; at = line.find('-', at + 1)) {
    if (at < copied || !begins_word(line, at)) continue;
    const std::size_t begin = login_behind(line, at);
    if (begin == kNone || begin >= line.size()) continue;
    const char opened = line[begin - 1] == '"' || line[begin - 1] == '\'' ? line[begin - 1] : '\0';
    const std::size_t end = std::min(
        opened != 0 ? line.find(opened, begin) : line.find_first_of(" \t", begin), line.size());
    const std::size_t colon = line.find(':', begin);
    if (colon >= end || colon + 1 == end) continue;
    kept.append(line, copied, colon + 1 - copied);
    kept += kRedacted;
    copied = end;
  }
  return kept.append(line, copied);
}

// Where what belongs to the colon of a URL names a user; nowhere if it is the colon of something
// else.
std::size_t user_behind(std::string_view line, std::size_t colon) {
  if (line.substr(colon + 1).starts_with("//")) return colon + 3;
  return line.substr(0, colon).ends_with("iscsi") ? colon + 1 : kNone;
}

}  // namespace

bool may_have_bare_key(std::string_view text) {
  for (std::size_t at = text.find('='); at != kNone; at = text.find('=', at + 1)) {
    if (at < kKeyLength) continue;
    const std::string_view key = text.substr(at - kKeyLength, kKeyLength);
    if (std::all_of(key.rbegin(), key.rend(), is_base64)) return true;
  }
  return false;
}

std::string without_bare_keys(const std::string& line) {
  if (line.size() <= kKeyLength || to_lower(line).find("public") != std::string::npos) return line;
  std::string kept;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && is_base64(line[end]))
      ++end;
    const bool is_key =
        end - at == kKeyLength && end < line.size() && line[end] == '=' &&
        (end + 1 == line.size() || (!is_base64(line[end + 1]) && line[end + 1] != '='));
    if (is_key) {
      kept += kRedacted;
      at = end + 1;
      continue;
    }
    end = std::min(line.size(), std::max(end, at + 1));
    kept.append(line, at, end - at);
    at = end;
  }
  return kept;
}

bool may_have_login(std::string_view text) {
  for (std::size_t at = text.find('-'); at != kNone; at = text.find('-', at + 1)) {
    if (begins_word(text, at) && login_behind(text, at) != kNone) return true;
  }
  return false;
}

std::string without_user_information(const std::string& given) {
  const std::string line = without_logins(given);
  std::string kept;
  std::size_t copied = 0;
  for (std::size_t at = line.find(':'); at != std::string::npos; at = line.find(':', at)) {
    const std::size_t begin = user_behind(line, at);
    if (begin == kNone) {
      ++at;
      continue;
    }
    const std::size_t end = std::min(line.find_first_of(" \t/\"'", begin), line.size());
    const std::string_view authority = std::string_view{line}.substr(begin, end - begin);
    const std::size_t sign = authority.rfind('@');
    const std::size_t colon = authority.substr(0, sign).find(':');
    if (sign != kNone && colon != kNone) {
      kept.append(line, copied, begin + colon + 1 - copied);
      kept += kRedacted;
      copied = begin + sign;
    }
    at = end;
  }
  return kept.append(line, copied);
}

}  // namespace fabric
