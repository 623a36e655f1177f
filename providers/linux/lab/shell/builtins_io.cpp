// SPDX-License-Identifier: Apache-2.0
// Builtins that read, write and test: echo printf read test
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/printf.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/host/file_tree.hpp"
#include "providers/linux/lab/shell/builtins.hpp"

namespace fabric::lab::shell {
namespace {

struct TestContext {
  const FileTree& files;
  std::string user;
  std::string directory;
};

constexpr std::array<std::string_view, 6> kIntegers = {"-eq", "-ne", "-lt", "-gt", "-le", "-ge"};

class Expression {
 public:
  Expression(const std::vector<std::string>& words, const TestContext& context)
      : words_{words}, context_{context} {}

  bool alternatives() {  // NOLINT(misc-no-recursion): bounded by the number of words
    bool result = all();
    while (take("-o"))
      result = all() || result;
    return result;
  }
  bool complete() const { return at_ == words_.size(); }
  std::string problem;

 private:
  bool more(std::size_t count = 1) const { return at_ + count <= words_.size(); }
  bool take(std::string_view what) {
    if (!more() || words_[at_] != what) return false;
    ++at_;
    return true;
  }

  bool all() {  // NOLINT(misc-no-recursion): bounded by the number of words
    bool result = primary();
    while (take("-a"))
      result = primary() && result;
    return result;
  }

  bool is_binary(const std::string& word) const {
    return word == "=" || word == "!=" || word == "==" || word == "-nt" || word == "-ot" ||
           word == "-ef" || std::find(kIntegers.begin(), kIntegers.end(), word) != kIntegers.end();
  }

  bool primary() {  // NOLINT(misc-no-recursion): bounded by the number of words
    if (!more()) {
      problem = "argument expected";
      return false;
    }
    if (more(3) && is_binary(words_[at_ + 1])) return binary();
    if (more(2) && take("!")) return !primary();
    if (more(2) && take("(")) {
      const bool result = alternatives();
      if (!take(")")) problem = "closing paren expected";
      return result;
    }
    const std::string& word = words_[at_];
    if (more(2) && word.size() == 2 && word[0] == '-' &&
        std::string_view{"nzefdrwxsLhpSbcgktu"}.find(word[1]) != std::string_view::npos) {
      at_ += 2;
      return unary(word[1], words_[at_ - 1]);
    }
    ++at_;
    return !word.empty();
  }

  bool unary(char test, const std::string& operand) {
    if (test == 'n') return !operand.empty();
    if (test == 'z') return operand.empty();
    if (test == 't') return false;  // no terminal
    const std::string path = absolute_path(context_.directory, operand);
    if (operand.empty()) return false;
    const Inode* file =
        context_.files.find(path, test == 'L' || test == 'h' ? Follow::no : Follow::yes);
    if (file == nullptr) return false;
    switch (test) {
      case 'e':
        return true;
      case 'f':
        return file->kind != FileKind::directory && file->kind != FileKind::null_device;
      case 'd':
        return file->kind == FileKind::directory;
      case 'L':
      case 'h':
        return file->kind == FileKind::symlink;
      case 'r':
        return context_.files.allows(*file, context_.user, 4);
      case 'w':
        return context_.files.allows(*file, context_.user, 2);
      case 'x':
        return context_.files.allows(*file, context_.user, 1);
      case 's':
        return !file->content.empty() || file->kind == FileKind::directory;
      case 'c':
        return file->kind == FileKind::null_device;
      default:
        return false;
    }
  }

  bool binary() {
    const std::string& left = words_[at_];
    const std::string& sign = words_[at_ + 1];
    const std::string& right = words_[at_ + 2];
    at_ += 3;
    if (sign == "=" || sign == "==") return left == right;
    if (sign == "!=") return left != right;
    if (sign == "-nt" || sign == "-ot" || sign == "-ef") return files(left, sign, right);
    const std::optional<std::int64_t> a = parse_integer(trim(left));
    const std::optional<std::int64_t> b = parse_integer(trim(right));
    if (!a || !b) {
      problem = "Illegal number: " + (a ? right : left);
      return false;
    }
    if (sign == "-eq") return *a == *b;
    if (sign == "-ne") return *a != *b;
    if (sign == "-lt") return *a < *b;
    if (sign == "-gt") return *a > *b;
    if (sign == "-le") return *a <= *b;
    return *a >= *b;
  }

  bool files(const std::string& left, const std::string& sign, const std::string& right) {
    const Inode* a = context_.files.find(absolute_path(context_.directory, left));
    const Inode* b = context_.files.find(absolute_path(context_.directory, right));
    if (sign == "-ef") return a != nullptr && a == b;
    if (sign == "-nt") return a != nullptr && (b == nullptr || a->modified > b->modified);
    return b != nullptr && (a == nullptr || a->modified < b->modified);
  }

  const std::vector<std::string>& words_;
  const TestContext& context_;
  std::size_t at_ = 0;
};

// The exit status: 0 true, 1 false, 2 not an expression (then `problem` says why).
int evaluate_test(
    const std::vector<std::string>& words, const TestContext& context, std::string& problem) {
  if (words.empty()) return 1;
  Expression expression{words, context};
  const bool result = expression.alternatives();
  problem = expression.problem;
  if (problem.empty() && !expression.complete()) problem = "unexpected operator";
  if (!problem.empty()) return 2;
  return result ? 0 : 1;
}

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// The character of the escape at `at` (after the backslash); moves `at` behind it.
std::string escape(std::string_view text, std::size_t& at, bool& stopped) {
  const char c = text[at++];
  switch (c) {
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 'r':
      return "\r";
    case 'a':
      return "\a";
    case 'b':
      return "\b";
    case 'f':
      return "\f";
    case 'v':
      return "\v";
    case '\\':
      return "\\";
    case '"':
      return "\"";
    case 'c':
      stopped = true;
      return "";
    default:
      break;
  }
  if (!is_octal(c)) return std::string{"\\"} + c;
  unsigned value = static_cast<unsigned>(c - '0');
  const int most = c == '0' ? 3 : 2;
  for (int digits = 0; digits < most && at < text.size() && is_octal(text[at]); ++digits) {
    value = value * 8 + static_cast<unsigned>(text[at++] - '0');
  }
  return std::string(1, static_cast<char>(value & 0xFFU));
}

// \n \t \\ \0101 ...; `stopped` when \c was met.
std::string unescape_echo(std::string_view text, bool& stopped) {
  std::string result;
  for (std::size_t at = 0; at < text.size() && !stopped;) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      ++at;
      result += escape(text, at, stopped);
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::int64_t number_of(const std::string& text, std::string& problem) {
  const std::string_view trimmed = trim(text);
  if (trimmed.empty()) return 0;
  if (trimmed.front() == '\'' || trimmed.front() == '"') {
    return trimmed.size() > 1 ? static_cast<unsigned char>(trimmed[1]) : 0;
  }
  if (trimmed.size() > 2 && trimmed.substr(0, 2) == "0x") {
    return static_cast<std::int64_t>(parse_unsigned(trimmed.substr(2), 16).value_or(0));
  }
  if (trimmed.size() > 1 && trimmed.front() == '0') {
    return static_cast<std::int64_t>(parse_unsigned(trimmed.substr(1), 8).value_or(0));
  }
  const std::optional<std::int64_t> value = parse_integer(trimmed);
  if (!value) problem = text + ": expected numeric value";
  return value.value_or(0);
}

class Printf {
 public:
  Printf(std::string_view format, const std::vector<std::string>& arguments, std::string& problem)
      : format_{format}, arguments_{arguments}, problem_{problem} {}

  std::string run() {
    std::string result;
    do {
      const std::size_t before = next_;
      result += once();
      if (next_ == before) break;
    } while (next_ < arguments_.size() && !stopped_);
    return result;
  }

 private:
  std::string once() {
    std::string result;
    for (std::size_t at = 0; at < format_.size() && !stopped_;) {
      if (format_[at] == '\\' && at + 1 < format_.size()) {
        ++at;
        result += escape(format_, at, stopped_);
      } else if (format_[at] == '%' && at + 1 < format_.size()) {
        result += conversion(at);
      } else {
        result += format_[at++];
      }
    }
    return result;
  }

  std::string next() { return next_ < arguments_.size() ? arguments_[next_++] : (++next_, ""); }

  std::string conversion(std::size_t& at) {
    std::string flags = "%";
    ++at;
    if (format_[at] == '%') {
      ++at;
      return "%";
    }
    while (at < format_.size() &&
           std::string_view{"-+ #0123456789.*"}.find(format_[at]) != std::string_view::npos) {
      if (format_[at] == '*') {
        flags += std::to_string(number_of(next(), problem_));
      } else {
        flags += format_[at];
      }
      ++at;
    }
    if (at >= format_.size()) return flags;
    const char kind = format_[at++];
    if (kind == 's') return fmt::sprintf(flags + "s", next());
    if (kind == 'b') {
      return fmt::sprintf(flags + "s", unescape_echo(next(), stopped_));
    }
    if (kind == 'c') return next().substr(0, 1);
    if (kind == 'd' || kind == 'i') return fmt::sprintf(flags + "d", number_of(next(), problem_));
    if (std::string_view{"uxXo"}.find(kind) != std::string_view::npos) {
      return fmt::sprintf(flags + kind, static_cast<std::uint64_t>(number_of(next(), problem_)));
    }
    problem_ = std::string{"%"} + kind + ": invalid directive";
    return "";
  }

  std::string_view format_;
  const std::vector<std::string>& arguments_;
  std::string& problem_;
  std::size_t next_ = 0;
  bool stopped_ = false;
};

// The format is used again while there are arguments left. `problem` is set if a number is invalid.
std::string format_printf(
    std::string_view format, const std::vector<std::string>& arguments, std::string& problem) {
  return Printf{format, arguments, problem}.run();
}

}  // namespace

int Builtins::echo(Interpreter& shell, const Words& words) {
  const bool no_newline = words.size() > 1 && words[1] == "-n";
  bool stopped = false;
  const Words rest{words.begin() + (no_newline ? 2 : 1), words.end()};
  const std::string text = unescape_echo(join(rest, " "), stopped);
  if (shell.write(1, text + (no_newline || stopped ? "" : "\n")) == FileError::none) return 0;
  shell.complain("echo: echo: I/O error");
  return 1;
}

int Builtins::printf(Interpreter& shell, const Words& words) {
  std::size_t at = 1;
  if (words.size() > 1 && words[1] == "--") ++at;
  if (at >= words.size()) {
    shell.complain("printf: usage: printf format [arg ...]");
    return 2;
  }
  std::string problem;
  const Words arguments{words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end()};
  const std::string text = format_printf(words[at], arguments, problem);
  const FileError error = shell.write(1, text);
  if (error != FileError::none) {
    shell.complain("printf: I/O error");
    return 1;
  }
  if (problem.empty()) return 0;
  shell.complain("printf: " + problem);
  return 1;
}

namespace {

// Words of a line, by the separators of IFS: blanks among them count as one, others each.
class FieldReader {
 public:
  FieldReader(std::string_view line, std::string separators)
      : rest_{line}, separators_{std::move(separators)} {}

  std::string take() {
    skip_blanks();
    const std::size_t end = std::min(rest_.find_first_of(separators_), rest_.size());
    std::string field{rest_.substr(0, end)};
    rest_.remove_prefix(end);
    skip_separator();
    return field;
  }

  // The rest of the line, with its separators, without blanks around it.
  std::string take_rest() {
    skip_blanks();
    while (!rest_.empty() && is_blank(rest_.back()))
      rest_.remove_suffix(1);
    return std::string{rest_};
  }

 private:
  bool is_separator(char c) const { return separators_.find(c) != std::string::npos; }
  bool is_blank(char c) const {
    return std::isspace(static_cast<unsigned char>(c)) != 0 && is_separator(c);
  }
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front()))
      rest_.remove_prefix(1);
  }
  void skip_separator() {
    if (rest_.empty()) return;
    const bool blank = is_blank(rest_.front());
    rest_.remove_prefix(1);
    if (!blank) return;
    skip_blanks();
    if (!rest_.empty() && is_separator(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view rest_;
  std::string separators_;
};

}  // namespace

// Lines that a backslash continues are one, unless `raw`.
std::optional<std::string> Builtins::read_logical_line(
    Interpreter& shell, bool raw, bool& complete) {
  complete = false;
  const auto input = shell.descriptors_->find(0);
  if (input == shell.descriptors_->end()) return std::nullopt;
  std::optional<std::string> line = shell.session_->read_line(input->second);
  if (!line) return std::nullopt;
  complete = !line->empty() && line->back() == '\n';
  if (complete) line->pop_back();
  while (!raw && !line->empty() && line->back() == '\\') {
    line->pop_back();
    std::string more = shell.session_->read_line(input->second).value_or("");
    if (!more.empty() && more.back() == '\n') more.pop_back();
    *line += more;
    if (more.empty()) break;
  }
  return line;
}

int Builtins::read(Interpreter& shell, const Words& words) {
  Words names{words.begin() + 1, words.end()};
  const bool raw = std::erase(names, "-r") > 0;
  bool complete = false;
  const std::string line = read_logical_line(shell, raw, complete).value_or("");
  FieldReader fields{line, shell.parameter("IFS").value_or(" \t\n")};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    shell.set_variable(names[i], last ? fields.take_rest() : fields.take());
  }
  return complete ? 0 : 1;
}

int Builtins::test(Interpreter& shell, const Words& words) {
  Words expression{words.begin() + 1, words.end()};
  if (words[0] == "[") {
    if (expression.empty() || expression.back() != "]") {
      shell.complain("[: missing ]");
      return 2;
    }
    expression.pop_back();
  }
  std::string problem;
  const int status = evaluate_test(
      expression, {shell.session_->machine.state.files, shell.user_, shell.directory_}, problem);
  if (!problem.empty()) shell.complain(fmt::format("{}: {}", words[0], problem));
  return status;
}

}  // namespace fabric::lab::shell
