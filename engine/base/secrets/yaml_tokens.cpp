// SPDX-License-Identifier: Apache-2.0
#include "engine/base/secrets/yaml_tokens.hpp"

#include <algorithm>
#include <utility>

namespace fabric {

namespace {

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

}  // namespace

std::vector<YamlToken> yaml_tokens(std::string_view text) {
  return Tokens{text}.read();
}

}  // namespace fabric
