// SPDX-License-Identifier: Apache-2.0
#include "engine/base/secrets/yaml_secrets.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/secrets/redaction.hpp"
#include "engine/base/secrets/secret_names.hpp"
#include "engine/base/text.hpp"

namespace fabric {
namespace {

struct YamlToken {
  enum class Kind : std::uint8_t {
    scalar,
    key,
    value,
    entry,
    comma,
    open,
    close,
    anchor,
    alias,
    tag,
    document
  };
  Kind kind = Kind::scalar;
  std::size_t begin = 0, end = 0;
  std::ptrdiff_t column = 0;  // -1 for a document's mark: all before it has ended
  std::size_t depth = 0;      // number of brackets around it; a bracket is outside of itself
};

using Token = YamlToken;
using Kind = Token::Kind;

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kFlow = ",[]{}";

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_{text} {}

  std::vector<Token> read() {
    while (skip_to_token())
      read_token();
    return std::move(tokens_);
  }

 private:
  bool is_blank_at(std::size_t at) const {
    return at >= text_.size() || kBlanks.find(text_[at]) != std::string_view::npos;
  }
  std::ptrdiff_t column_of(std::size_t at) const { return static_cast<std::ptrdiff_t>(at - line_); }

  // False: there is none any more.
  bool skip_to_token() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') line_ = at_ + 1;
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else if (!is_blank_at(at_)) {
        return true;
      }
    }
    return false;
  }

  void add(Kind kind, std::size_t length) {
    const Token token{kind, at_, at_ + length, column_of(at_), depth_};
    const bool is_block = depth_ == 0 && (kind == Kind::key || kind == Kind::entry);
    if (is_block) indent_ = token.column;
    if (kind == Kind::value && depth_ == 0) indent_ = key_column(token);
    tokens_.push_back(token);
    at_ += length;
  }

  // The column on its line where the colon's key begins, with all before it.
  std::ptrdiff_t key_column(const Token& colon) const {
    std::ptrdiff_t column = colon.column;
    for (auto token = tokens_.rbegin(); token != tokens_.rend() && token->begin >= line_; ++token) {
      if (token->depth > 0 || (token->kind != Kind::scalar && token->kind != Kind::alias &&
                               token->kind != Kind::anchor && token->kind != Kind::tag))
        break;
      column = token->column;
    }
    return column;
  }

  void read_token() {
    const char c = text_[at_];
    const bool in_flow = depth_ > 0;
    const std::string_view mark = text_.substr(at_, 3);
    if (at_ == line_ && (mark == "---" || mark == "...") && is_blank_at(at_ + 3)) {
      depth_ = 0;
      indent_ = -1;
      tokens_.push_back({Kind::document, at_, at_ + 3, -1, 0});
      at_ += 3;
    } else if (c == '{' || c == '[') {
      add(Kind::open, 1);
      ++depth_;
    } else if (in_flow && (c == '}' || c == ']')) {
      --depth_;
      add(Kind::close, 1);
    } else if (in_flow && c == ',') {
      add(Kind::comma, 1);
    } else if (c == '-' && is_blank_at(at_ + 1)) {
      add(Kind::entry, 1);
    } else if (c == '?' && (in_flow || is_blank_at(at_ + 1))) {
      add(Kind::key, 1);
    } else if (c == ':' && (in_flow || is_blank_at(at_ + 1))) {
      add(Kind::value, 1);
    } else if (c == '&' || c == '*' || c == '!') {
      std::size_t end = at_ + 1;
      while (!is_blank_at(end) && (!in_flow || kFlow.find(text_[end]) == std::string_view::npos))
        ++end;
      add(c == '&' ? Kind::anchor : c == '*' ? Kind::alias : Kind::tag, end - at_);
    } else if (c == '"' || c == '\'') {
      add_scalar(end_of_quoted());
    } else if (!in_flow && (c == '|' || c == '>')) {
      add_scalar(end_of_block());
    } else {
      add_scalar(end_of_plain());
    }
  }

  void add_scalar(std::size_t end) {
    add(Kind::scalar, end - at_);
    const std::size_t last = text_.substr(0, end).rfind('\n');
    if (last != std::string_view::npos && last + 1 > line_) line_ = last + 1;
  }

  std::size_t end_of_quoted() const {
    const char quote = text_[at_];
    for (std::size_t at = at_ + 1; at < text_.size(); ++at) {
      if (text_[at] == '\\' && quote == '"') {
        ++at;
      } else if (text_[at] == quote) {
        return at + 1;
      }
    }
    return text_.size();
  }

  // On its line: what goes on with it below is a scalar of its own here.
  std::size_t end_of_plain() const {
    std::size_t at = at_ + 1;
    for (; at < text_.size() && text_[at] != '\n'; ++at) {
      const char c = text_[at];
      const bool before_blank = is_blank_at(at + 1);
      if (c == ':' &&
          (before_blank || (depth_ > 0 && kFlow.find(text_[at + 1]) != std::string_view::npos)))
        break;
      if (c == '#' && is_blank_at(at - 1)) break;
      if (depth_ > 0 && kFlow.find(c) != std::string_view::npos) break;
    }
    while (at > at_ + 1 && is_blank_at(at - 1))
      --at;
    return at;
  }

  // Behind the last line that is indented more than what the scalar belongs to.
  std::size_t end_of_block() const {
    std::size_t end = std::min(text_.find('\n', at_), text_.size());
    for (std::size_t line = end + 1; line < text_.size();) {
      const std::size_t next = std::min(text_.find('\n', line), text_.size());
      const std::size_t first = text_.substr(line, next - line).find_first_not_of(" \r");
      if (first != std::string_view::npos) {
        if (static_cast<std::ptrdiff_t>(first) <= indent_) break;
        end = next;
      }
      line = next + 1;
    }
    return end;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;        // begin of the line
  std::size_t depth_ = 0;       // of open brackets
  std::ptrdiff_t indent_ = -1;  // of the key of a block scalar
};

// In order. A plain scalar of several lines is a token on each. Takes time linear in the size.
std::vector<YamlToken> yaml_tokens(std::string_view text) {
  return Tokens{text}.read();
}

using Token = YamlToken;
using Kind = Token::Kind;

unsigned digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  return (static_cast<unsigned char>(c) & 0x5fU) - 'A' + 10U;
}

// The text of a scalar as far as a name can have it.
std::string meant(std::string_view scalar) {
  if (!scalar.starts_with('"')) return std::string{scalar};
  std::string text;
  for (std::size_t at = 1; at < scalar.size(); ++at) {
    if (scalar[at] != '\\' || at + 1 == scalar.size()) {
      text += scalar[at];
      continue;
    }
    const char kind = scalar[++at];
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    unsigned code = 0;
    for (std::size_t i = 0; i < digits && at + 1 < scalar.size() &&
                            std::isxdigit(static_cast<unsigned char>(scalar[at + 1])) != 0;
         ++i)
      code = code << 4U | digit_of(scalar[++at]);
    if (kind == '\n') at = std::min(scalar.find_first_not_of(" \t\r\n", at), scalar.size()) - 1;
    if (digits > 0 && code > ' ' && code <= '~') text += static_cast<char>(code);
    if (kind == '"' || kind == '/') text += kind;
  }
  return text;
}

class Secrets {
 public:
  explicit Secrets(std::string_view text)
      : text_{text},
        tokens_{yaml_tokens(text)},
        is_ours_{text.starts_with("# managed by fabric: ")} {}

  // The tokens [first, last) of each value that is a secret.
  std::map<std::size_t, std::size_t> find() {
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      if (tokens_[at].kind == Kind::anchor) anchors_.emplace(text_of(at).substr(1), at);
    }
    open_keys_.assign(1, {});
    for (std::size_t at = 0; at < tokens_.size();)
      at = look_at(at);
    while (!wanted_.empty()) {
      const std::string_view name = *wanted_.begin();
      wanted_.erase(wanted_.begin());
      const auto [begin, end] = anchors_.equal_range(name);
      for (auto anchor = begin; anchor != end; ++anchor)
        add(anchor->second + 1, end_of_anchored(anchor->second));
      anchors_.erase(begin, end);
    }
    // No file that a person wrote is so entangled: nothing of it is kept.
    if (work_ > kMostLooks * tokens_.size()) return {{0, tokens_.size()}};
    return found_;
  }

  const Token& token(std::size_t at) const { return tokens_[at]; }

 private:
  // The most looks at each token, on average, to find nested parts.
  static constexpr std::size_t kMostLooks = 16;

  std::string_view text_of(std::size_t at) const {
    return text_.substr(tokens_[at].begin, tokens_[at].end - tokens_[at].begin);
  }
  std::size_t line_of(const Token& token) const {
    return token.begin - static_cast<std::size_t>(std::max<std::ptrdiff_t>(token.column, 0));
  }
  bool is_tired() const { return work_ > kMostLooks * tokens_.size(); }

  // Returns what to look at next.
  std::size_t look_at(std::size_t at) {
    const Token& token = tokens_[at];
    if (token.kind == Kind::open || token.kind == Kind::comma || open_keys_.size() <= token.depth)
      open_keys_.resize(token.depth + 1);
    std::vector<std::size_t>& keys = open_keys_[token.depth];
    if (token.kind == Kind::comma) keys.clear();
    // A token with less indentation is no longer below them.
    while (token.depth == 0 && !keys.empty() && token.column < tokens_[keys.back()].column)
      keys.pop_back();
    if (token.kind == Kind::key) keys.push_back(at);
    if (token.kind != Kind::value) return at + 1;
    std::size_t first = at;  // first token of the key
    std::ptrdiff_t column = token.column;
    if (!keys.empty() && (token.depth > 0 || tokens_[keys.back()].column == token.column)) {
      first = keys.back() + 1;
      keys.pop_back();
    } else {
      while (first > 0 && is_of_key(first - 1, token))
        --first;
      if (first < at) column = tokens_[first].column;
    }
    if (is_name_of_ours(first, at) || !is_secret(first, at)) return at + 1;
    const std::size_t end = end_of_value(at + 1, token.depth, column);
    add(at + 1, end);
    return std::max(end, at + 1);
  }

  // Implicit: one scalar, on the line of its colon, and what stands before it.
  bool is_of_key(std::size_t at, const Token& colon) const {
    const Token& token = tokens_[at];
    if (token.depth != colon.depth || (colon.depth == 0 && token.end <= line_of(colon)))
      return false;
    if (token.kind == Kind::anchor || token.kind == Kind::tag) return true;
    return (token.kind == Kind::scalar || token.kind == Kind::alias) && &tokens_[at + 1] == &colon;
  }

  // In our own files of netplan a name in quotes is that of an interface.
  bool is_name_of_ours(std::size_t first, std::size_t colon) const {
    return is_ours_ && text_[tokens_[first].begin] == '"' &&
           (colon + 1 == tokens_.size() || tokens_[colon].end < line_of(tokens_[colon + 1]));
  }

  bool is_secret(std::size_t first, std::size_t last) {
    std::string name;
    work_ += last - first;
    for (std::size_t at = first; at < last && !is_tired(); ++at) {
      std::size_t scalar = at;
      if (tokens_[at].kind == Kind::alias) {
        const auto anchor = anchors_.find(text_of(at).substr(1));
        if (anchor == anchors_.end()) continue;
        scalar = behind_tags(anchor->second + 1);
      }
      if (scalar < tokens_.size() && tokens_[scalar].kind == Kind::scalar)
        name += meant(text_of(scalar));
    }
    const std::vector<std::string_view> words = split_words(name);
    return names_secret(name) || std::any_of(words.begin(), words.end(), names_secret);
  }

  std::size_t behind_tags(std::size_t at) const {
    while (at < tokens_.size() && tokens_[at].kind == Kind::tag)
      ++at;
    return at;
  }

  // `column`: of the key; nothing that begins there belongs to the value, but for entries of a
  // list.
  std::size_t end_of_value(
      std::size_t at, std::size_t depth, std::ptrdiff_t column, bool in_list = false) {
    const std::size_t begin = at;
    const std::size_t line = at == 0 ? 0 : tokens_[at - 1].end;
    for (; at < tokens_.size() && !is_tired(); ++at) {
      const Token& token = tokens_[at];
      if (token.kind == Kind::document) break;
      if (depth > 0) {
        if (token.depth < depth || (token.depth == depth && token.kind == Kind::comma)) break;
      } else if (
          token.depth == 0 && token.kind != Kind::close && line <= line_of(token) &&
          (token.column < column ||
           (token.column == column && (in_list || token.kind != Kind::entry)))) {
        break;
      }
    }
    work_ += at - begin;
    return at;
  }

  std::size_t end_of_anchored(std::size_t anchor) {
    const std::size_t at = behind_tags(anchor + 1);
    if (at < tokens_.size() && tokens_[at].kind == Kind::open)
      return end_of_value(at + 1, tokens_[at].depth + 1, 0) + 1;
    std::size_t first = anchor;  // on its line
    while (first > 0 && tokens_[first - 1].begin >= line_of(tokens_[anchor]))
      --first;
    work_ += anchor - first;
    return end_of_value(
        at, tokens_[anchor].depth, tokens_[first].column, tokens_[first].kind == Kind::entry);
  }

  void add(std::size_t first, std::size_t last) {
    last = std::min(last, tokens_.size());
    if (first >= last) return;
    std::size_t& end = found_[first];
    end = std::max(end, last);
    for (std::size_t at = first; at < last; ++at) {
      if (tokens_[at].kind == Kind::alias) wanted_.insert(text_of(at).substr(1));
    }
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  bool is_ours_;
  std::multimap<std::string_view, std::size_t> anchors_;
  std::vector<std::vector<std::size_t>> open_keys_;  // explicit keys without a value, by depth
  std::set<std::string_view> wanted_;                // anchors that a secret is named by
  std::map<std::size_t, std::size_t> found_;
  std::size_t work_ = 0;
};

}  // namespace

std::string without_yaml_secrets(std::string_view text) {
  Secrets secrets{text};
  std::string kept;
  std::size_t copied = 0;
  for (const auto& [first, last] : secrets.find()) {
    const std::size_t begin = secrets.token(first).begin;
    const std::size_t end = secrets.token(last - 1).end;
    if (end <= copied) continue;
    const std::size_t from = std::max(begin, copied);
    kept += text.substr(copied, from - copied);
    const std::size_t before = first == 0 ? begin : secrets.token(first - 1).end;
    // Below its key a line of its own says nothing more.
    const bool is_below = text.substr(before, from - before).find('\n') != std::string_view::npos;
    if (is_below) {
      kept.resize(std::min(kept.rfind('\n') + 1, kept.size()));
    } else {
      const bool quoted = std::string_view{"\"'{["}.find(text[begin]) != std::string_view::npos;
      kept += quoted ? "\"" : "";
      kept += kRedacted;
      kept += quoted ? "\"" : "";
    }
    kept.append(
        static_cast<std::size_t>(std::count(
            text.begin() + static_cast<std::ptrdiff_t>(from),
            text.begin() + static_cast<std::ptrdiff_t>(end),
            '\n')),
        '\n');
    copied = end;
  }
  kept += text.substr(copied);
  return kept;
}

}  // namespace fabric
