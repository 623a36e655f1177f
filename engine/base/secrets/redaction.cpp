// SPDX-License-Identifier: Apache-2.0
#include "engine/base/secrets/redaction.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "engine/base/secrets/secret_names.hpp"
#include "engine/base/secrets/yaml_secrets.hpp"
#include "engine/base/text.hpp"

namespace fabric {
namespace {

struct FileLines {
  std::string_view path;    // "" = no file
  std::string_view prefix;  // "PATH:"
  std::vector<std::string_view> contents;
};

class LogicalLines {
 public:
  explicit LogicalLines(std::string_view text) : text_{text} {}
  bool at_end() const { return at_ >= text_.size(); }
  // REQUIRES: not at_end().
  FileLines next();

 private:
  std::string_view line() const;

  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::size_t kNowhere = std::string_view::npos;

// "PATH:"
std::size_t prefix_length(std::string_view line) {
  const std::size_t colon = line.starts_with('/') ? line.find(':') : kNowhere;
  return colon == kNowhere ? 0 : colon + 1;
}

// There a comment between is passed over, and does not go on itself (systemd.syntax(7)).
bool is_of_systemd(const FileLines& lines) {
  return lines.path.find("/systemd/") != kNowhere;
}
bool is_comment(std::string_view content) {
  const std::string_view text = trim(content);
  return text.starts_with('#') || text.starts_with(';');
}

bool is_continued(std::string_view content) {
  const std::size_t last = content.find_last_not_of(" \t\r");
  return last != kNowhere && content[last] == '\\';
}

bool goes_on(const FileLines& lines) {
  const std::string_view last = lines.contents.back();
  if (is_of_systemd(lines) && is_comment(last)) return lines.contents.size() > 1;
  return is_continued(last);
}

bool is_yaml(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

// The lines without the backslashes that join them, and without comments within.
std::vector<std::string> pieces_of(const FileLines& lines) {
  std::vector<std::string> pieces;
  for (const std::string_view content : lines.contents) {
    const bool is_last = &content == &lines.contents.back();
    if (is_of_systemd(lines) && is_comment(content) && lines.contents.size() > 1) continue;
    pieces.emplace_back(
        is_continued(content) && !is_last ? content.substr(0, content.rfind('\\')) : content);
    if (is_of_systemd(lines) && !is_last) pieces.back() += ' ';
  }
  return pieces;
}

FileLines LogicalLines::next() {
  FileLines lines;
  lines.prefix = line().substr(0, prefix_length(line()));
  const std::size_t length = lines.prefix.size();
  lines.path = lines.prefix.substr(0, length == 0 ? 0 : length - 1);
  const bool is_tree = is_yaml(lines.path);
  do {
    lines.contents.push_back(line().substr(length));
    at_ += line().size() + 1;
  } while (length > 0 && !at_end() && line().starts_with(lines.prefix) &&
           (is_tree || goes_on(lines)));
  return lines;
}

std::string_view LogicalLines::line() const {
  return text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
}

// Secrets that no name stands for: keys in base64, and passwords in URLs. Of one line each.

// Without the passwords in "https://user:PASSWORD@host/", "netroot=iscsi:user:PASSWORD@host" and
// behind an option for a login: "curl -u user:PASSWORD", "--proxy-user=user:PASSWORD".
std::string without_user_information(const std::string& line);

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

// The begin of the login after the option at `at`; kNone if it has none. Of letters in one word the
// last takes the value: "-sku user:PASSWORD".
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

// The begin of the user after the colon of a URL; kNone if it is another colon.
std::size_t user_behind(std::string_view line, std::size_t colon) {
  if (line.substr(colon + 1).starts_with("//")) return colon + 3;
  return line.substr(0, colon).ends_with("iscsi") ? colon + 1 : kNone;
}

// False: no line of the text has such a key.
bool may_have_bare_key(std::string_view text) {
  for (std::size_t at = text.find('='); at != kNone; at = text.find('=', at + 1)) {
    if (at < kKeyLength) continue;
    const std::string_view key = text.substr(at - kKeyLength, kKeyLength);
    if (std::all_of(key.rbegin(), key.rend(), is_base64)) return true;
  }
  return false;
}

// Without keys of 32 bytes in base64, as WireGuard and systemd write them: 43 characters and '='.
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

// False: no line of the text has such an option.
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

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_quote(char c) {
  return c == '"' || c == '\'';
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}
bool is_name(char c) {
  return is_word(c) || c == '_' || c == '-' || c == '.';
}

std::size_t skip_blanks(std::string_view line, std::size_t at) {
  while (at < line.size() && is_blank(line[at]))
    ++at;
  return at;
}

// Behind the quote that ends what is in quotes at `at`; nowhere if the line ends before.
std::size_t behind_quote(std::string_view line, std::size_t at, char quote) {
  for (std::size_t i = at; i < line.size(); ++i) {
    if (line[i] == '\\' && quote == '"') {
      ++i;
    } else if (line[i] == quote) {
      return i + 1;
    }
  }
  return kNowhere;
}
// The end of the quoted text that begins at `at`.
std::size_t behind_quote(std::string_view line, std::size_t at) {
  return behind_quote(line, at + 1, line[at]);
}

// The end of a word, of which a part may be in quotes.
std::size_t end_of_word(std::string_view line, std::size_t at) {
  while (at < line.size() && !is_blank(line[at])) {
    at = is_quote(line[at]) ? behind_quote(line, at) : at + 1;
    if (at == kNowhere) return line.size();
  }
  return at;
}

// The whole content of such a file is one secret: a file for a key, and a value of the kernel,
// whose name is that of its file ("tcp_fastopen_key"). Other files are named by an interface, with
// any name.
bool is_key_file(std::string_view path) {
  constexpr std::array<std::string_view, 8> kEndings{
      ".key", ".pem", ".psk", ".secret", ".secrets", ".password", ".pass", ".token"};
  if (std::ranges::any_of(
          kEndings, [path](std::string_view ending) { return path.ends_with(ending); }))
    return true;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.find('_') != kNowhere && names_secret(name);
}

// A key in JSON that is no secret: the object around its own has that member of that value.
struct PlainKey {
  std::string_view key, member, value;
};
constexpr std::array<PlainKey, 1> kPlainKeys{{
    {"key", "info_kind", "ipoib"},  // of `ip -j -d link`: the P_Key of an IPoIB interface
}};

// The object, without its braces, in which the object around `at` stands; "" = none.
std::string_view outer_object(std::string_view line, std::size_t at) {
  int depth = 0;
  std::size_t begin = at, end = at;
  while (depth < 2 && begin > 0)
    if (const char c = line[--begin]; c == '{' || c == '}') depth += c == '{' ? 1 : -1;
  for (; depth > 0 && end < line.size(); ++end)
    if (line[end] == '{' || line[end] == '}') depth += line[end] == '{' ? 1 : -1;
  return depth == 0 && end > at ? line.substr(begin + 1, end - begin - 2) : std::string_view{};
}

bool has_member(std::string_view object, const PlainKey& plain) {
  const std::size_t at = object.find(fmt::format("\"{}\"", plain.member));
  if (at == kNowhere) return false;
  const std::size_t colon = skip_blanks(object, at + plain.member.size() + 2);
  const std::size_t value = skip_blanks(object, colon + 1);
  return value < object.size() && object[colon] == ':' &&
         object.substr(value).starts_with(fmt::format("\"{}\"", plain.value));
}

bool is_plain(std::string_view name, std::string_view line, std::size_t at) {
  return std::ranges::any_of(kPlainKeys, [&](const PlainKey& plain) {
    return name == plain.key && has_member(outer_object(line, at), plain);
  });
}

// The value of a name on its line, and whether it is in quotes.
struct Span {
  std::size_t begin = 0, end = 0;
  bool quoted = false;
};

// REQUIRES: the text that the lines are of lives as long.
class Redactor {
 public:
  // The part of a line of the file that may be kept; "" = none.
  std::string line(std::string_view path, std::string_view content) {
    if (path != path_) begin_file(path);
    const bool is_safe = !is_within_secret() && !may_hold_secret(content);
    if (is_safe && is_first_line_) is_ours_ = is_our_mark(content);
    std::string kept = is_safe ? std::string{content}
                               : without_bare_keys(without_user_information(redacted(content)));
    is_first_line_ = false;
    return kept;
  }

 private:
  // A line above decides about this line, whatever its text.
  bool is_within_secret() const {
    return is_key_file_ || in_pem_ || in_secret_section_ || open_quote_ != 0 || depth_ > 0 ||
           below_;
  }

  static bool is_our_mark(std::string_view content) {
    return content.starts_with("# managed by fabric: ");
  }

  void begin_file(std::string_view path) {
    *this = Redactor{};
    path_ = path;
    is_key_file_ = is_key_file(path);
    is_yaml_ = is_yaml(path);
  }

  static std::string mark_unless_blank(std::string_view content) {
    return trim(content).empty() ? std::string{content} : std::string{kRedacted};
  }

  std::string redacted(std::string_view content) {
    if (is_key_file_ || in_pem_) {
      if (content.find("-----END") != kNowhere) in_pem_ = false;
      return mark_unless_blank(content);
    }
    const std::size_t pem = content.find("-----BEGIN");
    const std::string_view armour = pem == kNowhere ? std::string_view{} : content.substr(pem);
    if (armour.find("PRIVATE") != kNowhere || armour.find("tatic key") != kNowhere) {
      in_pem_ = armour.find("-----END") == kNowhere;
      return scanned(content.substr(0, pem)) + std::string{kRedacted};
    }
    if (is_first_line_) is_ours_ = is_our_mark(content);
    // Our own record of names and of what was there before; no secret is ever written into it.
    if (is_ours_ && (is_first_line_ || content.starts_with("# resource: ")))
      return std::string{content};
    if (goes_on(content)) return {};
    if (is_section(content)) return std::string{content};
    if (in_secret_section_ && !trim(content).empty()) {
      const std::size_t equals = content.find('=');
      return std::string{content.substr(0, equals == kNowhere ? 0 : equals + 1)} +
             std::string{kRedacted};
    }
    return scanned(content);
  }

  // The whole line belongs to a value that began on a line above.
  bool goes_on(std::string_view content) {
    if (open_quote_ != 0) {
      if (behind_quote(content, 0, open_quote_) != kNowhere) open_quote_ = 0;
      return true;
    }
    if (depth_ > 0) return false;  // scanned() finds where it ends
    if (below_) {
      const std::size_t at = content.find_first_not_of(" \t-");
      if (at == kNowhere || at > *below_) return true;
      below_.reset();
    }
    return false;
  }

  bool is_section(std::string_view content) {
    const std::string_view text = trim(content);
    if (text.size() < 3 || text.front() != '[' || text.back() != ']' || depth_ > 0) return false;
    const std::string_view name = text.substr(1, text.size() - 2);
    if (!std::ranges::all_of(name, [](char c) { return is_name(c) || c == ' ' || c == ':'; }))
      return false;
    in_secret_section_ = to_lower(name).find("secret") != std::string::npos;
    return true;
  }

  // Behind the bracket that ends what is open; the end of the line if that is not on it.
  std::size_t close_brackets(std::string_view line, std::size_t at) {
    while (at < line.size()) {
      const char c = line[at];
      if (c == '"') {
        at = std::min(behind_quote(line, at), line.size());
        continue;
      }
      if (c == '{' || c == '[') ++depth_;
      if (c == '}' || c == ']') --depth_;
      ++at;
      if (depth_ == 0) break;
    }
    return at;
  }

  std::string scanned(std::string_view line) {
    std::string kept;
    std::size_t copied = depth_ > 0 ? close_brackets(line, 0) : 0;
    in_flow_ = 0;
    is_first_name_ = true;
    for (std::size_t at = copied; at < line.size();) {
      if (line[at] == '{' || line[at] == '[') ++in_flow_;
      if ((line[at] == '}' || line[at] == ']') && in_flow_ > 0) --in_flow_;
      if (!is_name(line[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < line.size() && is_name(line[end]))
        ++end;
      const std::optional<Span> value = value_of(line, at, end);
      is_first_name_ =
          is_first_name_ && line.substr(at, end - at).find_first_not_of('-') == kNowhere;
      at = end;
      if (!value) continue;
      kept.append(line, copied, value->begin - copied);
      if (value->quoted) kept += '"';
      kept += kRedacted;
      if (value->quoted) kept += '"';
      copied = at = value->end;
    }
    return kept.append(line, std::min(copied, line.size()));
  }

  // A partition may be called as it likes, and its P_Key, of 16 bits, is no secret.
  bool is_partition(std::string_view value) const {
    constexpr std::size_t kLongest = 6;  // "0x8001"
    return (path_.ends_with(".partitions") || path_.ends_with("/partitions.conf")) &&
           value.starts_with("0x") &&
           std::min(value.find_first_of(" \t,:;"), value.size()) <= kLongest;
  }
  bool is_command_line() const { return path_.ends_with("/cmdline"); }

  std::optional<Span> value_of(std::string_view line, std::size_t at, std::size_t end) {
    const std::string_view name = line.substr(at, end - at);
    if (!path_.empty() && name == "xfrm" && end < line.size()) return Span{end + 1, line.size()};
    if (!names_secret(name) || is_plain(name, line, at)) return std::nullopt;
    const char opened = at > 0 && is_quote(line[at - 1]) ? line[at - 1] : '\0';
    const bool is_quoted = opened != 0 && end < line.size() && line[end] == opened;
    const std::size_t behind = is_quoted ? end + 1 : end;
    std::size_t sign = skip_blanks(line, behind);
    if (line.substr(sign, 2) == "+=") ++sign;
    const std::size_t after = std::min(line.find_first_not_of("=:", sign), line.size());
    if (after == sign) return is_quoted ? std::nullopt : value_after_blank(line, name, behind);
    const bool is_colon = line[sign] == ':';
    // In our own files of netplan a name in quotes is that of an interface.
    if (is_yaml_ && is_colon && is_first_name_) {
      if (is_ours_ && is_quoted && sign + 1 == line.size()) return std::nullopt;
      below_ = line.find_first_not_of(" \t-");
    }
    const std::size_t begin = skip_blanks(line, after);
    if (begin >= line.size() || is_partition(line.substr(begin))) return std::nullopt;
    if (opened != 0 && !is_quoted) {  // "NAME=VALUE" in quotes as a whole
      const std::size_t closing = line.find(opened, begin);
      return Span{begin, closing == kNowhere ? line.size() : closing};
    }
    return extent(line, begin, is_colon, is_quoted);
  }

  Span extent(std::string_view line, std::size_t begin, bool is_colon, bool is_quoted) {
    const char c = line[begin];
    const bool is_tree = is_yaml_ || is_quoted || in_flow_ > 0;
    if (is_tree && (c == '{' || c == '[')) return {begin, close_brackets(line, begin), true};
    if (is_quote(c)) {
      const std::size_t end = behind_quote(line, begin);
      if (end == kNowhere) {
        if (!is_yaml_ && path_.find("/ifcfg-") != kNowhere) open_quote_ = c;
        return whole_rest(line, begin, true);
      }
      // Characters right after the quote belong to the word.
      std::size_t last = end;
      while (last < line.size() && !is_blank(line[last]) &&
             std::string_view{",;)}]"}.find(line[last]) == kNowhere)
        ++last;
      return {begin, last, true};
    }
    if (in_flow_ > 0 || is_quoted) {
      const std::size_t end = line.find_first_of(is_colon ? ",}]" : "}] \t", begin);
      return {begin, end == kNowhere ? line.size() : end, is_quoted};
    }
    if (!is_command_line() && (is_colon || is_first_name_)) return whole_rest(line, begin, false);
    return {begin, end_of_word(line, begin), false};
  }

  static Span whole_rest(std::string_view line, std::size_t begin, bool quoted) {
    const std::size_t end = line.ends_with('\r') ? line.size() - 1 : line.size();
    return {begin, std::max(begin, end), quoted};
  }

  std::optional<Span> value_after_blank(
      std::string_view line, std::string_view name, std::size_t behind) {
    const std::size_t begin = skip_blanks(line, behind);
    if (begin >= line.size() || begin == behind) return std::nullopt;
    if (!path_.empty() && !is_command_line() && (is_first_name_ || is_word_for_secret(name)))
      return whole_rest(line, begin, false);
    if (name.starts_with("--")) return Span{begin, end_of_word(line, begin)};
    if (line[behind] != ' ' || !is_word_for_secret(name)) return std::nullopt;
    std::size_t end = behind;
    for (std::size_t word = begin; word < line.size(); word = skip_blanks(line, end)) {
      const std::size_t word_end = end_of_word(line, word);
      if (!may_be_secret(name, line.substr(word, word_end - word))) break;
      end = word_end;
    }
    if (end == behind) return std::nullopt;
    return Span{begin, end};
  }

  // For running text: true for "invalid psk 'abc'", "m_key 0x12", but neither for "password change
  // required" nor "unknown key 'mtuu'".
  static bool may_be_secret(std::string_view name, std::string_view word) {
    constexpr std::size_t kLong = 16;
    if (word.size() >= kLong || word.starts_with("0x")) return true;
    if (name.size() <= 4 && to_lower(name).starts_with("key")) return false;
    return is_quote(word.front()) || std::ranges::any_of(word, [](char c) {
             return std::isdigit(static_cast<unsigned char>(c)) != 0;
           });
  }

  std::string_view path_;
  bool is_key_file_ = false;
  bool is_yaml_ = false;
  bool is_ours_ = false;
  bool is_first_line_ = true;
  // State of a value that began on a line above.
  bool in_pem_ = false;
  bool in_secret_section_ = false;
  char open_quote_ = '\0';
  std::size_t depth_ = 0;             // of open brackets
  std::optional<std::size_t> below_;  // the indentation of a key of YAML
  // State within the line.
  std::size_t in_flow_ = 0;
  bool is_first_name_ = true;
};

std::vector<std::string> without_secrets_by_line(const FileLines& lines, Redactor& redactor) {
  std::vector<std::string> clean;
  for (const std::string_view content : lines.contents)
    clean.push_back(redactor.line(lines.path, content));
  return clean;
}

// Replaces secrets in a line with its continuations: read one by one, as programs do that know no
// such lines, and as one. Lines without a secret stay, else the first has all the rest.
std::vector<std::string> without_secrets_in(const FileLines& lines, Redactor& redactor) {
  if (lines.contents.size() == 1) return without_secrets_by_line(lines, redactor);
  Redactor alone = redactor;
  Redactor before = redactor;
  std::vector<std::string> pieces = pieces_of(lines);
  const std::string whole = join(pieces, "");
  for (std::string& piece : pieces)
    piece = alone.line(lines.path, piece);
  std::string kept = redactor.line(lines.path, join(pieces, ""));
  if (kept == whole) return without_secrets_by_line(lines, before);
  std::vector<std::string> clean(lines.contents.size());
  clean.front() = std::move(kept);
  return clean;
}

}  // namespace

bool may_hold_secret(std::string_view text) {
  return may_have_secret_name(text) || text.find('@') != kNowhere ||
         text.find("-----BEGIN") != kNowhere || text.find("xfrm") != kNowhere ||
         text.find(".pem") != kNowhere || may_have_bare_key(text) || may_have_login(text) ||
         text.find('\\') != kNowhere;
}

std::string without_secrets(std::string_view text) {
  if (!may_hold_secret(text)) return std::string{text};
  std::string kept;
  kept.reserve(text.size());
  Redactor redactor;
  for (LogicalLines reader{text}; !reader.at_end();) {
    FileLines lines = reader.next();
    std::vector<std::string> clean;
    if (is_yaml(lines.path)) {
      std::string tree;
      for (const std::string_view content : lines.contents)
        tree.append(content).append("\n");
      tree = without_yaml_secrets(tree);
      lines.contents = split(std::string_view{tree}.substr(0, tree.size() - 1), '\n');
      clean = without_secrets_by_line(lines, redactor);
    } else {
      clean = without_secrets_in(lines, redactor);
    }
    for (const std::string& line : clean) {
      kept += lines.prefix;
      kept += line;
      kept += '\n';
    }
  }
  if (!text.ends_with('\n')) kept.pop_back();
  return kept;
}

}  // namespace fabric
