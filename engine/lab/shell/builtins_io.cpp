// Builtins that read, write and test: echo printf read test
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/shell/builtins.hpp"
#include "engine/lab/shell/format.hpp"
#include "engine/lab/shell/test_expression.hpp"

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

int Builtins::read(Interpreter& shell, const Words& words) {
  Words names;
  bool raw = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-r") {
      raw = true;
    } else {
      names.push_back(words[i]);
    }
  }
  const auto input = shell.descriptors_->find(0);
  std::optional<std::string> line =
      input == shell.descriptors_->end() ? std::nullopt : shell.session_->read_line(input->second);
  const bool complete = line && !line->empty() && line->back() == '\n';
  if (complete) line->pop_back();
  while (!raw && line && !line->empty() && line->back() == '\\') {
    line->pop_back();
    std::string more = shell.session_->read_line(input->second).value_or("");
    if (!more.empty() && more.back() == '\n') more.pop_back();
    *line += more;
    if (more.empty()) break;
  }
  const std::string separators = shell.parameter("IFS").value_or(" \t\n");
  std::string_view rest = line ? std::string_view{*line} : std::string_view{};
  const auto is_blank = [&](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 &&
           separators.find(c) != std::string::npos;
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    while (!rest.empty() && is_blank(rest.front()))
      rest.remove_prefix(1);
    const bool last = i + 1 == names.size();
    std::size_t end = last ? rest.size() : std::min(rest.find_first_of(separators), rest.size());
    while (last && end > 0 && is_blank(rest[end - 1]))
      --end;
    shell.set_variable(names[i], std::string{rest.substr(0, end)});
    rest.remove_prefix(end);
    if (rest.empty() || last) continue;
    const bool blank = is_blank(rest.front());
    rest.remove_prefix(1);
    while (blank && !rest.empty() && is_blank(rest.front()))
      rest.remove_prefix(1);
    if (blank && !rest.empty() && separators.find(rest.front()) != std::string::npos)
      rest.remove_prefix(1);
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
