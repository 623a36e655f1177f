// SPDX-License-Identifier: Apache-2.0
// Words: quoting and everything that begins with '$' or '`'.
#include <array>
#include <cctype>

#include "providers/linux/lab/shell/parser.hpp"
#include "providers/linux/lab/shell/parser_state.hpp"

namespace fabric::lab::shell {
namespace {

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_name(char c) {
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

void add_literal(Word& word, char c, bool quoted) {
  if (word.parts.empty() || word.parts.back().kind != PartKind::literal ||
      word.parts.back().quoted != quoted) {
    WordPart part;
    part.quoted = quoted;
    word.parts.push_back(std::move(part));
  }
  word.parts.back().text += c;
}

void add_empty_quotes(Word& word) {
  WordPart part;
  part.quoted = true;
  word.parts.push_back(std::move(part));
}

}  // namespace

bool Parser::ends_word(Context context) const {
  switch (context) {
    case Context::bare:
      return std::string_view{" \t\n;&|<>()"}.find(peek()) != std::string_view::npos;
    case Context::double_quotes:
      return peek() == '"';
    case Context::braces:
    case Context::braces_in_quotes:
      return peek() == '}';
    case Context::raw:
      return false;
  }
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
Word Parser::word(Context context) {
  Word word;
  while (!at_end() && !failed() && !ends_word(context)) {
    if (special_part(word, context)) continue;
    const bool quoted = context == Context::double_quotes || context == Context::braces_in_quotes ||
                        context == Context::raw;
    add_literal(word, take(), quoted);
  }
  return word;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
bool Parser::special_part(Word& word, Context context) {
  const bool quotes = context == Context::bare || context == Context::braces;
  const bool quoted = !quotes;
  switch (peek()) {
    case '\\':
      escape(word, context);
      return true;
    case '\'':
      if (!quotes) return false;
      single_quotes(word);
      return true;
    case '"':
      if (context == Context::raw) return false;
      double_quotes(word);
      return true;
    case '$':
      dollar(word, quoted);
      return true;
    case '`':
      backticks(word, quoted);
      return true;
    default:
      return false;
  }
}

void Parser::escape(Word& word, Context context) {
  take();
  if (at_end()) return add_literal(word, '\\', true);
  if (peek() == '\n') {
    take();
    return;
  }
  const bool all = context == Context::bare || context == Context::braces;
  const std::string_view special = context == Context::raw ? "$`\\" : "$`\"\\";
  if (!all && special.find(peek()) == std::string_view::npos &&
      !(context == Context::braces_in_quotes && peek() == '}')) {
    add_literal(word, '\\', true);
  }
  add_literal(word, take(), true);
}

void Parser::single_quotes(Word& word) {
  take();
  add_empty_quotes(word);
  while (!at_end() && peek() != '\'')
    add_literal(word, take(), true);
  if (at_end()) return fail("Unterminated quoted string");
  take();
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
void Parser::double_quotes(Word& word) {
  take();
  if (!enter()) return;
  Word inside = this->word(Context::double_quotes);
  --depth_;
  if (at_end()) return fail("Unterminated quoted string");
  take();
  // "$@" alone is as many words as there are, so none of none; all else in quotes is one.
  const bool all = inside.parts.size() == 1 && inside.parts.front().kind == PartKind::parameter &&
                   inside.parts.front().text == "@" && inside.parts.front().operation.empty();
  if (!all) add_empty_quotes(word);
  for (WordPart& part : inside.parts)
    word.parts.push_back(std::move(part));
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
void Parser::dollar(Word& word, bool quoted) {
  const char next = peek(1);
  if (next == '(') {
    if (peek(2) == '(') return arithmetic(word, quoted);
    return command_substitution(word, quoted);
  }
  take();
  if (next == '{') return braces(word, quoted);
  WordPart part;
  part.kind = PartKind::parameter;
  part.quoted = quoted;
  if (is_name_start(next)) {
    while (is_name(peek()))
      part.text += take();
  } else if (
      next != '\0' && std::string_view{"?#@*$!-0123456789"}.find(next) != std::string_view::npos) {
    part.text = take();
  } else {
    return add_literal(word, '$', quoted);
  }
  word.parts.push_back(std::move(part));
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
void Parser::braces(Word& word, bool quoted) {
  take();
  if (!enter()) return;
  WordPart part;
  part.kind = PartKind::parameter;
  part.quoted = quoted;
  if (peek() == '#' && peek(1) != '}') {
    take();
    part.operation = "length";
  }
  if (is_name_start(peek())) {
    while (is_name(peek()))
      part.text += take();
  } else if (std::isdigit(static_cast<unsigned char>(peek())) != 0) {
    while (std::isdigit(static_cast<unsigned char>(peek())) != 0)
      part.text += take();
  } else if (!at_end()) {
    part.text = take();
  }
  if (peek() != '}' && part.operation.empty()) {
    constexpr std::array<std::string_view, 12> kOperations = {
        ":-", ":=", ":?", ":+", "%%", "##", "-", "=", "?", "+", "%", "#"};
    for (const std::string_view operation : kOperations) {
      if (part.operation.empty() && looking_at(operation)) part.operation = operation;
    }
    if (part.operation.empty()) return fail("Bad substitution");
    at_ += part.operation.size();
    const bool pattern = part.operation.front() == '%' || part.operation.front() == '#';
    part.argument.push_back(
        this->word(quoted && !pattern ? Context::braces_in_quotes : Context::braces));
  }
  --depth_;
  if (peek() != '}') return fail("Missing '}'");
  take();
  word.parts.push_back(std::move(part));
}

// NOLINTNEXTLINE(misc-no-recursion): a new parser over a shorter text
void Parser::arithmetic(Word& word, bool quoted) {
  const std::size_t start = at_ + 3;
  int open = 2;
  std::size_t end = start;
  for (; end < text_.size() && open > 0; ++end) {
    if (text_[end] == '(') ++open;
    if (text_[end] == ')') --open;
  }
  if (open > 0) return fail("Missing '))'");
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access)
  Result<Word> expression = parse_expansions(text_.substr(start, end - start - 2));
  if (!expression) return fail("arithmetic expression");
  at_ = end;
  WordPart part;
  part.kind = PartKind::arithmetic;
  part.quoted = quoted;
  part.argument.push_back(std::move(*expression));
  word.parts.push_back(std::move(part));
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
void Parser::command_substitution(Word& word, bool quoted) {
  at_ += 2;
  if (!enter()) return;
  WordPart part;
  part.kind = PartKind::command;
  part.quoted = quoted;
  part.program.push_back(list(")"));
  --depth_;
  if (!take_operator(")")) return fail_unexpected();
  word.parts.push_back(std::move(part));
}

// NOLINTNEXTLINE(misc-no-recursion): a new parser over a shorter text
void Parser::backticks(Word& word, bool quoted) {
  take();
  std::string inside;
  while (!at_end() && peek() != '`') {
    const bool escaped = peek() == '\\' && (peek(1) == '`' || peek(1) == '\\' || peek(1) == '$' ||
                                            (quoted && peek(1) == '"'));
    if (escaped) take();
    inside += take();
  }
  if (at_end()) return fail("EOF in backquote substitution");
  take();
  Parser nested{inside};
  WordPart part;
  part.kind = PartKind::command;
  part.quoted = quoted;
  part.program.push_back(nested.script());
  if (nested.failed()) return fail("in backquote substitution");
  word.parts.push_back(std::move(part));
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
Word Parser::expansions() {
  return word(Context::raw);
}

// NOLINTNEXTLINE(misc-no-recursion): a new parser over a shorter text
Result<Word> parse_expansions(std::string_view text) {
  Parser parser{text};
  Word word = parser.expansions();
  if (!parser.error().empty()) return Error{ErrorCode::invalid, parser.error()};
  return word;
}

}  // namespace fabric::lab::shell
