// SPDX-License-Identifier: Apache-2.0
// The builtins of a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/lab/shell/interpreter.hpp"

namespace fabric::lab::shell {

class Builtins {
 public:
  using Words = std::vector<std::string>;
  using Function = int (*)(Interpreter&, const Words&);
  // Null if `name` is no builtin.
  static Function find(std::string_view name);
  // True for a special builtin: an error in it ends the shell, assignments before it stay.
  static bool is_special(std::string_view name);

 private:
  static int colon(Interpreter& shell, const Words& words);
  static int fail(Interpreter& shell, const Words& words);
  static int dot(Interpreter& shell, const Words& words);
  static int leave_loop(Interpreter& shell, const Words& words);
  static int cd(Interpreter& shell, const Words& words);
  static int command(Interpreter& shell, const Words& words);
  static int describe(Interpreter& shell, const std::string& name, bool verbose);
  static int echo(Interpreter& shell, const Words& words);
  static int eval(Interpreter& shell, const Words& words);
  static int exec(Interpreter& shell, const Words& words);
  static int exit(Interpreter& shell, const Words& words);
  static int export_variables(Interpreter& shell, const Words& words);
  static int local(Interpreter& shell, const Words& words);
  static int printf(Interpreter& shell, const Words& words);
  static int pwd(Interpreter& shell, const Words& words);
  static int read(Interpreter& shell, const Words& words);
  static std::optional<std::string> read_logical_line(Interpreter& shell, bool raw, bool& complete);
  static int leave_function(Interpreter& shell, const Words& words);
  static int set(Interpreter& shell, const Words& words);
  static bool set_option(Interpreter& shell, const std::string& option, const std::string& name);
  static int shift(Interpreter& shell, const Words& words);
  static int test(Interpreter& shell, const Words& words);
  static int type(Interpreter& shell, const Words& words);
  static int umask(Interpreter& shell, const Words& words);
  static int unset(Interpreter& shell, const Words& words);
};

}  // namespace fabric::lab::shell
