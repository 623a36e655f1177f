// SPDX-License-Identifier: Apache-2.0
// Builtins that read, write and test: echo printf read test
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/shell/builtins.hpp"
#include "providers/linux/lab/shell/format.hpp"
#include "providers/linux/lab/shell/test_expression.hpp"

namespace fabric::lab::shell {

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

  // All that is left, with its separators, without blanks around it.
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
