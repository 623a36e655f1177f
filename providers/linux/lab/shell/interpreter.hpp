// SPDX-License-Identifier: Apache-2.0
// Interpreter: runs a shell script on a simulated host. One object is one shell process; a subshell
// is a copy.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/shared.hpp"
#include "providers/linux/lab/shell/ast.hpp"
#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::shell {

struct Variable {
  std::string value;
  bool exported = false;
};

enum class Flow : std::uint8_t { normal, break_loop, continue_loop, return_function, exit_shell };

// The result of an expansion: each character with its origin.
struct Text {
  std::string text;
  std::string origin;  // per character: 'q' quoted, 'l' literal, 'x' from an unquoted expansion
};

class Interpreter {
 public:
  Interpreter(const Process& process, std::string zero, std::vector<std::string> arguments);

  // Runs a script to its end and returns its exit status.
  int run_text(std::string_view text);

 private:
  friend class Builtins;

  // interpreter.cpp
  int run(const List& list);
  int run(const Pipeline& pipeline);
  int run(const Command& command);
  int run_compound(const Command& command);
  int run_if(const Command& command);
  int run_loop(const Command& command);
  int run_for(const Command& command);
  int run_case(const Command& command);
  int run_subshell(const List& list);
  bool leave_loop();

  // simple_command.cpp
  // The variables that a call has covered, with their former values; nullopt: not set.
  using Overlaid = std::map<std::string, std::optional<Variable>>;
  int run_simple(const Command& command);
  Overlaid assign(const std::vector<Assignment>& assignments, bool stay);
  void restore(const Overlaid& before);
  int run_words(std::vector<std::string> words);
  int run_function(const Command& body, std::vector<std::string> arguments);
  int run_external(const std::vector<std::string>& words);
  bool redirect(const std::vector<Redirect>& redirects);
  bool redirect(const Redirect& redirect);
  bool redirect_to_file(const Redirect& redirect, const std::string& target);
  bool redirect_from_file(int descriptor, const std::string& target);
  bool duplicate(const Redirect& redirect, const std::string& target);

  // expand.cpp
  std::vector<std::string> expand(const std::vector<Word>& words);
  std::string expand_to_text(const Word& word);
  std::string expand_to_pattern(const Word& word);
  struct Fields {
    std::vector<Text> done;
    Text current;
    bool started = false;
    void add(std::string_view text, char origin);
    void end_field();
  };
  void expand(const Word& word, char origin, Fields& fields);
  void expand_parameter(const WordPart& part, Fields& fields);
  void expand_positional(const WordPart& part, Fields& fields);
  bool expand_operation(
      const WordPart& part, const std::optional<std::string>& value, Fields& fields);
  std::string remove_affix(const WordPart& part, const std::string& value);
  std::optional<std::string> parameter(const std::string& name) const;
  std::string substitute(const List& program);
  std::string evaluate_arithmetic(const Word& expression);
  std::vector<Text> split_fields(const Text& text) const;
  void add_paths(Text field, std::vector<std::string>& result) const;
  std::vector<std::string> glob(const std::string& pattern) const;
  // The files in `base` ("" or ending in '/') that match one part of a pattern.
  std::vector<std::string> glob_part(
      const std::string& base, std::string_view part, bool last) const;

  void set_variable(const std::string& name, std::string value);
  Environment exported() const;
  // Prints "sh: 3: message" on standard error; the shell exits with `status`.
  void die(int status, std::string_view message);
  void complain(std::string_view message);
  FileError write(int descriptor, std::string_view text);
  void leave(Flow flow, int levels, int status);
  Process process(std::vector<std::string> arguments) const;

  Session* session_;
  std::string user_;
  std::string directory_;
  std::uint32_t umask_ = 022;
  int depth_ = 0;
  int parent_ = 1;
  Shared<Descriptors> descriptors_;
  std::string zero_;
  std::vector<std::string> positional_;
  Shared<std::map<std::string, Variable>> variables_;
  Shared<std::map<std::string, std::shared_ptr<const Command>>> functions_;
  std::vector<Overlaid> locals_;
  int process_number_ = 0;
  std::uint32_t line_ = 1;
  int status_ = 0;
  int substitution_status_ = 0;
  bool exit_on_error_ = false;
  bool no_unset_ = false;
  bool no_glob_ = false;
  bool trace_ = false;
  int unchecked_ = 0;  // within a condition, errors do not end the shell
  int loops_ = 0;
  int nesting_ = 0;
  Flow flow_ = Flow::normal;
  int flow_levels_ = 0;
};

}  // namespace fabric::lab::shell
