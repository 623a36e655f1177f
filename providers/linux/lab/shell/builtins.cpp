// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/shell/builtins.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::lab::shell {

Builtins::Function Builtins::find(std::string_view name) {
  struct Row {
    std::string_view name;
    Function function;
  };
  static constexpr std::array<Row, 31> kTable = {
      {{":", colon},
       {"true", colon},
       {"false", fail},
       {".", dot},
       {"break", leave_loop},
       {"continue", leave_loop},
       {"cd", cd},
       {"command", command},
       {"echo", echo},
       {"eval", eval},
       {"exec", exec},
       {"exit", exit},
       {"export", export_variables},
       {"readonly", export_variables},
       {"local", local},
       {"printf", printf},
       {"pwd", pwd},
       {"read", read},
       {"return", leave_function},
       {"set", set},
       {"shift", shift},
       {"test", test},
       {"[", test},
       {"type", type},
       {"umask", umask},
       {"unset", unset},
       {"trap", colon},
       {"wait", colon},
       {"hash", colon},
       {"times", colon},
       {"ulimit", colon}}};
  const auto* found =
      std::find_if(kTable.begin(), kTable.end(), [&](const Row& row) { return row.name == name; });
  return found == kTable.end() ? nullptr : found->function;
}

bool Builtins::is_special(std::string_view name) {
  constexpr std::array<std::string_view, 15> kSpecial = {
      ":",
      ".",
      "break",
      "continue",
      "eval",
      "exec",
      "exit",
      "export",
      "readonly",
      "return",
      "set",
      "shift",
      "times",
      "trap",
      "unset"};
  return std::find(kSpecial.begin(), kSpecial.end(), name) != kSpecial.end();
}

int Builtins::colon(Interpreter& /*shell*/, const Words& /*words*/) {
  return 0;
}
int Builtins::fail(Interpreter& /*shell*/, const Words& /*words*/) {
  return 1;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by Interpreter's nesting
int Builtins::dot(Interpreter& shell, const Words& words) {
  if (words.size() < 2) return 0;
  std::string content;
  const FileError error = shell.session_->machine.state.files.read(
      absolute_path(shell.directory_, words[1]), shell.user_, content);
  if (error != FileError::none) {
    shell.die(2, fmt::format(".: cannot open {}: {}", words[1], lab::describe(error)));
    return 2;
  }
  ++shell.nesting_;
  int status = shell.nesting_ > 100 ? 2 : shell.run_text(content);
  --shell.nesting_;
  if (shell.flow_ == Flow::return_function) {
    shell.flow_ = Flow::normal;
    status = shell.status_;
  }
  return status;
}

int Builtins::leave_loop(Interpreter& shell, const Words& words) {
  const std::int64_t levels = words.size() > 1 ? parse_integer(words[1]).value_or(1) : 1;
  if (shell.loops_ == 0) return 0;
  const auto most = std::min<std::int64_t>(std::max<std::int64_t>(levels, 1), shell.loops_);
  shell.leave(
      words[0] == "break" ? Flow::break_loop : Flow::continue_loop, static_cast<int>(most), 0);
  return 0;
}

int Builtins::cd(Interpreter& shell, const Words& words) {
  // Every directory here is physical, as with -P.
  const std::size_t at = words.size() > 1 && words[1] == "-P" ? 2 : 1;
  std::string target = words.size() > at ? words[at] : shell.parameter("HOME").value_or("/");
  if (target == "-") target = shell.parameter("OLDPWD").value_or("/");
  const FileTree& files = shell.session_->machine.state.files;
  const Inode* directory = files.find(absolute_path(shell.directory_, target));
  if (directory == nullptr || directory->kind != FileKind::directory) {
    shell.complain(fmt::format("cd: can't cd to {}", target));
    return 2;
  }
  shell.set_variable("OLDPWD", shell.directory_);
  shell.directory_ = files.real_path(absolute_path(shell.directory_, target)).value_or("/");
  shell.set_variable("PWD", shell.directory_);
  return 0;
}

int Builtins::describe(Interpreter& shell, const std::string& name, bool verbose) {
  if (shell.functions_->count(name) != 0) {
    shell.write(1, verbose ? name + " is a shell function\n" : name + "\n");
    return 0;
  }
  if (find(name) != nullptr) {
    const std::string_view kind = is_special(name) ? "a special shell builtin" : "a shell builtin";
    shell.write(1, verbose ? fmt::format("{} is {}\n", name, kind) : name + "\n");
    return 0;
  }
  const std::optional<std::string> path = find_program(shell.process({name}), name);
  if (path) {
    shell.write(1, verbose ? fmt::format("{} is {}\n", name, *path) : *path + "\n");
    return 0;
  }
  if (verbose) shell.write(1, name + ": not found\n");
  return 127;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by Interpreter's nesting
int Builtins::command(Interpreter& shell, const Words& words) {
  std::size_t at = 1;
  bool look_up = false;
  bool verbose = false;
  for (; at < words.size() && words[at].size() > 1 && words[at][0] == '-'; ++at) {
    look_up = look_up || words[at] == "-v" || words[at] == "-V";
    verbose = verbose || words[at] == "-V";
  }
  if (at >= words.size()) return 0;
  if (look_up) return describe(shell, words[at], verbose);
  const Words rest{words.begin() + static_cast<std::ptrdiff_t>(at), words.end()};
  if (const Function builtin = find(rest.front())) return builtin(shell, rest);
  return shell.run_external(rest);
}

int Builtins::type(Interpreter& shell, const Words& words) {
  int status = 0;
  for (std::size_t i = 1; i < words.size(); ++i)
    status = std::max(status, describe(shell, words[i], true));
  return status;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by Interpreter's nesting
int Builtins::eval(Interpreter& shell, const Words& words) {
  ++shell.nesting_;
  const int status =
      shell.nesting_ > 100 ? 2 : shell.run_text(join(Words{words.begin() + 1, words.end()}, " "));
  --shell.nesting_;
  return status;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by Interpreter's nesting
int Builtins::exec(Interpreter& shell, const Words& words) {
  if (words.size() < 2) return 0;
  const int status = shell.run_external({words.begin() + 1, words.end()});
  shell.leave(Flow::exit_shell, 0, status);
  return status;
}

int Builtins::exit(Interpreter& shell, const Words& words) {
  const std::int64_t status =
      words.size() > 1 ? parse_integer(words[1]).value_or(2) : shell.status_;
  shell.leave(Flow::exit_shell, 0, static_cast<int>(status & 0xFF));
  return shell.status_;
}

int Builtins::leave_function(Interpreter& shell, const Words& words) {
  const std::int64_t status =
      words.size() > 1 ? parse_integer(words[1]).value_or(2) : shell.status_;
  shell.leave(Flow::return_function, 0, static_cast<int>(status & 0xFF));
  return shell.status_;
}

int Builtins::export_variables(Interpreter& shell, const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-p") continue;
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    if (equals != std::string::npos) shell.set_variable(name, words[i].substr(equals + 1));
    if (words[0] == "export") shell.variables_.edit()[name].exported = true;
  }
  return 0;
}

int Builtins::local(Interpreter& shell, const Words& words) {
  if (shell.locals_.empty()) {
    shell.die(2, "local: not in a function");
    return 2;
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const auto old = shell.variables_->find(name);
    shell.locals_.back().emplace(
        name, old == shell.variables_->end() ? std::nullopt : std::optional{old->second});
    if (equals != std::string::npos) shell.set_variable(name, words[i].substr(equals + 1));
  }
  return 0;
}

int Builtins::pwd(Interpreter& shell, const Words& /*words*/) {
  shell.write(1, shell.directory_ + "\n");
  return 0;
}

bool Builtins::set_option(Interpreter& shell, const std::string& option, const std::string& name) {
  const bool on = option[0] == '-';
  if (option[1] == 'o') {
    if (name == "errexit") shell.exit_on_error_ = on;
    if (name == "nounset") shell.no_unset_ = on;
    if (name == "noglob") shell.no_glob_ = on;
    constexpr std::array<std::string_view, 6> kKnown = {
        "errexit", "nounset", "noglob", "xtrace", "noclobber", "allexport"};
    return std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
  }
  for (const char letter : option.substr(1)) {
    switch (letter) {
      case 'e':
        shell.exit_on_error_ = on;
        break;
      case 'u':
        shell.no_unset_ = on;
        break;
      case 'f':
        shell.no_glob_ = on;
        break;
      case 'x':
        shell.trace_ = on;
        break;
      case 'a':
      case 'b':
      case 'C':
      case 'm':
      case 'n':
      case 'v':
        break;
      default:
        return false;
    }
  }
  return true;
}

int Builtins::set(Interpreter& shell, const Words& words) {
  std::size_t at = 1;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--") {
      shell.positional_.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
      return 0;
    }
    if (word.size() < 2 || (word[0] != '-' && word[0] != '+')) break;
    const std::string name = word[1] == 'o' && at + 1 < words.size() ? words[at + 1] : "";
    if (!set_option(shell, word, name)) {
      shell.die(2, fmt::format("set: Illegal option {}", name.empty() ? word : "-o " + name));
      return 2;
    }
    if (word[1] == 'o') ++at;
  }
  if (at < words.size())
    shell.positional_.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return 0;
}

int Builtins::shift(Interpreter& shell, const Words& words) {
  const std::int64_t count = words.size() > 1 ? parse_integer(words[1]).value_or(-1) : 1;
  if (count < 0 || static_cast<std::size_t>(count) > shell.positional_.size()) {
    shell.die(2, "shift: can't shift that many");
    return 2;
  }
  shell.positional_.erase(shell.positional_.begin(), shell.positional_.begin() + count);
  return 0;
}

int Builtins::umask(Interpreter& shell, const Words& words) {
  if (words.size() < 2) {
    shell.write(1, fmt::format("{:04o}\n", shell.umask_));
    return 0;
  }
  const std::optional<std::uint64_t> mask = parse_unsigned(words[1], 8);
  if (!mask || *mask > 0777) {
    shell.complain("umask: Illegal mode: " + words[1]);
    return 2;
  }
  shell.umask_ = static_cast<std::uint32_t>(*mask);
  return 0;
}

int Builtins::unset(Interpreter& shell, const Words& words) {
  bool functions = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-f" || words[i] == "-v") {
      functions = words[i] == "-f";
    } else if (functions) {
      shell.functions_.edit().erase(words[i]);
    } else {
      shell.variables_.edit().erase(words[i]);
    }
  }
  return 0;
}

}  // namespace fabric::lab::shell
