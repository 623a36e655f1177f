// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/shell/parser.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "providers/linux/lab/shell/parser_state.hpp"

namespace fabric::lab::shell {

namespace {

// Far deeper than any script; protects the recursion of parser and interpreter.
constexpr int kNesting = 100;

// Texts kept by parse_script_once: far more than the scripts of a plan, and little memory.
constexpr std::size_t kMostKept = 256;
constexpr std::size_t kLongestKept = 65'536;

bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 14> kReserved = {
      "then",
      "else",
      "elif",
      "fi",
      "do",
      "done",
      "esac",
      "}",
      "if",
      "for",
      "while",
      "until",
      "case",
      "{"};
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

// True for words that can't begin a command.
bool is_closing(std::string_view word) {
  constexpr std::array<std::string_view, 8> kClosing = {
      "then", "else", "elif", "fi", "do", "done", "esac", "}"};
  return std::find(kClosing.begin(), kClosing.end(), word) != kClosing.end();
}

}  // namespace

bool is_variable_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
  return std::ranges::all_of(
      text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

char Parser::take() {
  const char c = text_[at_++];
  if (c != '\n') return c;
  ++line_;
  if (after_here_documents_ > at_) {
    line_ += static_cast<std::uint32_t>(std::count(
        text_.begin() + static_cast<std::ptrdiff_t>(at_),
        text_.begin() + static_cast<std::ptrdiff_t>(after_here_documents_),
        '\n'));
    at_ = after_here_documents_;
  }
  after_here_documents_ = 0;
  return c;
}

void Parser::skip_blanks() {
  while (!at_end()) {
    if (peek() == ' ' || peek() == '\t') {
      ++at_;
    } else if (peek() == '\\' && peek(1) == '\n') {
      ++at_;
      take();
    } else if (peek() == '#') {
      while (!at_end() && peek() != '\n')
        ++at_;
    } else {
      return;
    }
  }
}

void Parser::skip_lines() {
  skip_blanks();
  while (peek() == '\n') {
    take();
    skip_blanks();
  }
}

std::string_view Parser::plain_word() const {
  std::size_t end = at_;
  while (end < text_.size() &&
         std::string_view{" \t\n;&|<>()"}.find(text_[end]) == std::string_view::npos) {
    if (std::string_view{"'\"\\$`"}.find(text_[end]) != std::string_view::npos) return {};
    ++end;
  }
  return text_.substr(at_, end - at_);
}

bool Parser::take_reserved(std::string_view what) {
  skip_lines();
  if (plain_word() != what) return false;
  at_ += what.size();
  return true;
}

void Parser::expect_reserved(std::string_view what) {
  if (!failed() && !take_reserved(what)) fail_unexpected();
}

bool Parser::take_operator(std::string_view what) {
  skip_blanks();
  if (!looking_at(what)) return false;
  if (what.size() == 1 && (what == "|" || what == "&") && peek(1) == what[0]) return false;
  at_ += what.size();
  return true;
}

void Parser::fail(const std::string& why) {
  if (error_.empty()) error_ = fmt::format("{}: Syntax error: {}", line_, why);
}

void Parser::fail_unexpected() {
  skip_blanks();
  if (at_end()) return fail("end of file unexpected");
  if (peek() == '\n') return fail("newline unexpected");
  std::string_view what = plain_word();
  if (what.empty()) {
    const std::size_t length = peek(1) == peek() ? 2 : 1;
    what = text_.substr(at_, length);
  }
  fail(fmt::format("\"{}\" unexpected", what));
}

bool Parser::enter() {
  if (++depth_ <= kNesting) return true;
  fail("nested too deeply");
  return false;
}

// NOLINTNEXTLINE(misc-no-recursion): at most kNesting deep, see enter()
List Parser::script() {
  List whole = list("");
  skip_lines();
  if (!at_end()) fail_unexpected();
  return whole;
}

// Until a word or operator that can't continue a list; the caller takes it.
// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
List Parser::list(std::string_view closing) {
  List result;
  if (!enter()) return result;
  Connector connector = Connector::always;
  while (!failed()) {
    skip_lines();
    const bool closed = !closing.empty() && looking_at(closing);
    if (at_end() || closed || is_closing(plain_word()) || peek() == ')' || looking_at(";;")) {
      if (connector != Connector::always) fail_unexpected();
      break;
    }
    Step step;
    step.connector = connector;
    step.pipeline = pipeline();
    result.steps.push_back(std::move(step));
    skip_blanks();
    connector = Connector::always;
    if (take_operator("&&")) {
      connector = Connector::and_then;
    } else if (take_operator("||")) {
      connector = Connector::or_else;
    } else {
      const bool ends =
          looking_at(";;") || (!take_operator(";") && !take_operator("&") && peek() != '\n');
      if (ends) break;
    }
  }
  --depth_;
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
Pipeline Parser::pipeline() {
  Pipeline result;
  while (plain_word() == "!") {
    ++at_;
    result.negated = !result.negated;
    skip_blanks();
  }
  do {
    skip_lines();
    result.commands.push_back(command());
  } while (!failed() && take_operator("|"));
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
Command Parser::command() {
  Command result;
  const std::uint32_t line = line_;
  const std::string_view reserved = plain_word();
  if (peek() == '(') {
    ++at_;
    result = group(CommandKind::subshell, ")");
  } else if (reserved == "{") {
    ++at_;
    result = group(CommandKind::group, "}");
  } else if (reserved == "if") {
    result = if_clause();
  } else if (reserved == "while" || reserved == "until") {
    result = loop(reserved == "while" ? CommandKind::while_loop : CommandKind::until_loop);
  } else if (reserved == "for") {
    result = for_loop();
  } else if (reserved == "case") {
    result = case_clause();
  } else if (is_reserved(reserved)) {
    fail_unexpected();
  } else {
    result = simple_command();
  }
  result.line = line;
  if (result.kind != CommandKind::simple && result.kind != CommandKind::function) redirects(result);
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): at most kNesting deep, see enter()
void Parser::redirects(Command& command) {
  skip_blanks();
  while (!failed() && redirect(command))
    skip_blanks();
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
bool Parser::redirect(Command& command) {
  std::size_t digits = 0;
  while (std::isdigit(static_cast<unsigned char>(peek(digits))) != 0)
    ++digits;
  const char arrow = peek(digits);
  if ((arrow != '<' && arrow != '>') || digits > 1) return false;
  Redirect result;
  result.descriptor = digits == 1 ? peek() - '0' : (arrow == '<' ? 0 : 1);
  at_ += digits;
  struct Form {
    std::string_view sign;
    RedirectKind kind;
  };
  constexpr std::array<Form, 9> kForms = {
      {{"<<-", RedirectKind::here_document},
       {"<<", RedirectKind::here_document},
       {"<&", RedirectKind::duplicate},
       {"<>", RedirectKind::read_write},
       {"<", RedirectKind::read},
       {">>", RedirectKind::append},
       {">&", RedirectKind::duplicate},
       {">|", RedirectKind::write},
       {">", RedirectKind::write}}};
  const auto* form = std::ranges::find_if(
      kForms, [&](const Form& candidate) { return looking_at(candidate.sign); });
  result.kind = form->kind;
  at_ += form->sign.size();
  skip_blanks();
  if (result.kind == RedirectKind::here_document) {
    result.target = here_document(form->sign == "<<-");
  } else {
    result.target = word(Context::bare);
    if (result.target.parts.empty()) fail_unexpected();
  }
  command.redirects.push_back(std::move(result));
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): a new parser over a shorter text
Word Parser::here_document(bool strip_tabs) {
  const Word delimiter_word = word(Context::bare);
  std::string delimiter;
  bool quoted = false;
  for (const WordPart& part : delimiter_word.parts) {
    delimiter += part.text;
    quoted = quoted || part.quoted;
  }
  std::size_t start = after_here_documents_;
  if (start <= at_) {
    const std::size_t line_end = text_.find('\n', at_);
    start = line_end == std::string_view::npos ? text_.size() : line_end + 1;
  }
  std::string body;
  while (start < text_.size()) {
    const std::size_t line_end = std::min(text_.find('\n', start), text_.size());
    std::string_view line = text_.substr(start, line_end - start);
    while (strip_tabs && !line.empty() && line.front() == '\t')
      line.remove_prefix(1);
    start = std::min(line_end + 1, text_.size());
    if (line == delimiter) break;
    body += line;
    body += '\n';
  }
  after_here_documents_ = start;
  if (!quoted) {
    Result<Word> text = parse_expansions(body);
    if (text) return std::move(*text);
    fail("in here-document");
    return {};
  }
  Word text;
  WordPart part;
  part.quoted = true;
  part.text = std::move(body);
  text.parts.push_back(std::move(part));
  return text;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
Command Parser::simple_command() {
  Command result;
  bool assignments = true;
  while (!failed()) {
    skip_blanks();
    if (redirect(result)) continue;
    if (at_end() || failed()) break;
    if (peek() == '(' && result.words.size() == 1 && result.assignments.empty()) {
      function_or_call(result);
      return result;
    }
    if (ends_word(Context::bare)) break;
    const std::size_t start = at_;
    std::size_t equals = start;
    while (equals < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[equals])) != 0 || text_[equals] == '_')) {
      ++equals;
    }
    const std::string_view name = text_.substr(start, equals - start);
    if (assignments && equals < text_.size() && text_[equals] == '=' && is_variable_name(name)) {
      at_ = equals + 1;
      result.assignments.push_back({std::string{name}, word(Context::bare)});
      continue;
    }
    assignments = false;
    result.words.push_back(word(Context::bare));
  }
  if (result.words.empty() && result.assignments.empty() && result.redirects.empty())
    fail_unexpected();
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
void Parser::function_or_call(Command& command) {
  const std::vector<WordPart> parts = std::move(command.words.front().parts);
  ++at_;
  if (!take_operator(")") || parts.size() != 1 || parts.front().quoted ||
      !is_variable_name(parts.front().text)) {
    return fail_unexpected();
  }
  command = Command{};
  command.kind = CommandKind::function;
  command.name = parts.front().text;
  skip_lines();
  command.body = std::make_shared<const Command>(this->command());
}

Result<List> parse_script(std::string_view text) {
  Parser parser{text};
  List list = parser.script();
  if (!parser.error().empty()) return Error{ErrorCode::invalid, parser.error()};
  return list;
}

std::shared_ptr<const Result<List>> parse_script_once(std::string_view text) {
  using Scripts = std::map<std::string, std::shared_ptr<const Result<List>>, std::less<>>;
  thread_local Scripts parsed;
  const auto known = parsed.find(text);
  if (known != parsed.end()) return known->second;
  auto script = std::make_shared<const Result<List>>(parse_script(text));
  if (text.size() > kLongestKept) return script;
  if (parsed.size() >= kMostKept) parsed.clear();
  parsed.emplace(text, script);
  return script;
}

// Compound commands: groups, if, loops, case.

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
Command Parser::group(CommandKind kind, std::string_view closing) {
  Command result;
  result.kind = kind;
  result.lists.push_back(list(closing));
  skip_lines();
  if (failed()) return result;
  if (!looking_at(closing)) {
    fail_unexpected();
    return result;
  }
  at_ += closing.size();
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
Command Parser::if_clause() {
  Command result;
  result.kind = CommandKind::if_clause;
  std::string_view next = "if";
  while (!failed() && take_reserved(next)) {
    result.lists.push_back(list(""));
    expect_reserved("then");
    result.lists.push_back(list(""));
    next = "elif";
  }
  if (!failed() && take_reserved("else")) result.lists.push_back(list(""));
  expect_reserved("fi");
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
Command Parser::loop(CommandKind kind) {
  Command result;
  result.kind = kind;
  expect_reserved(kind == CommandKind::while_loop ? "while" : "until");
  result.lists.push_back(list(""));
  expect_reserved("do");
  result.lists.push_back(list(""));
  expect_reserved("done");
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
Command Parser::for_loop() {
  Command result;
  result.kind = CommandKind::for_loop;
  expect_reserved("for");
  skip_blanks();
  result.name = plain_word();
  if (!is_variable_name(result.name)) fail("Bad for loop variable");
  at_ += result.name.size();
  skip_lines();
  if (take_reserved("in")) {
    result.has_words = true;
    skip_blanks();
    while (!failed() && !at_end() && !ends_word(Context::bare)) {
      result.words.push_back(word(Context::bare));
      skip_blanks();
    }
  }
  take_operator(";");
  expect_reserved("do");
  result.lists.push_back(list(""));
  expect_reserved("done");
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
Command Parser::case_clause() {
  Command result;
  result.kind = CommandKind::case_clause;
  expect_reserved("case");
  skip_blanks();
  result.words.push_back(word(Context::bare));
  expect_reserved("in");
  while (!failed() && !take_reserved("esac"))
    result.branches.push_back(case_branch());
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by enter()
CaseBranch Parser::case_branch() {
  CaseBranch branch;
  skip_lines();
  take_operator("(");
  do {
    skip_blanks();
    branch.patterns.push_back(word(Context::bare));
  } while (!failed() && take_operator("|"));
  if (branch.patterns.back().parts.empty() || !take_operator(")")) {
    fail_unexpected();
    return branch;
  }
  branch.body = list("");
  skip_lines();
  if (looking_at(";;")) {
    at_ += 2;
  } else if (plain_word() != "esac") {
    fail_unexpected();
  }
  return branch;
}

}  // namespace fabric::lab::shell
