// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/shell/interpreter.hpp"

#include <fmt/format.h>

#include "providers/linux/lab/shell/parser.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab::shell {
namespace {

// Functions calling themselves; deeper is an endless recursion.
constexpr int kNesting = 200;

}  // namespace

Interpreter::Interpreter(
    const Process& process, std::string zero, std::vector<std::string> arguments)
    : session_{&process.session},
      user_{process.user},
      directory_{process.directory},
      umask_{process.umask},
      depth_{process.depth},
      parent_{process.parent},
      descriptors_{process.descriptors},
      zero_{std::move(zero)},
      positional_{std::move(arguments)},
      process_number_{process.session.process_number()} {
  std::map<std::string, Variable>& variables = variables_.edit();
  for (const auto& [name, value] : process.environment)
    variables[name] = Variable{value, true};
  variables["PWD"] = Variable{directory_, true};
  variables["IFS"] = Variable{" \t\n", false};
  variables["PPID"] = Variable{std::to_string(parent_), false};
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run_text(std::string_view text) {
  const std::shared_ptr<const Result<List>> parsed = parse_script_once(text);
  const Result<List>& script = *parsed;
  if (!script) {
    write(2, fmt::format("{}: {}\n", zero_, script.error().message));
    leave(Flow::exit_shell, 0, 2);
    return 2;
  }
  const int status = run(*script);
  return session_->exhausted() ? 137 : status;  // as if killed
}

FileError Interpreter::write(int descriptor, std::string_view text) {
  const auto found = descriptors_->find(descriptor);
  if (found == descriptors_->end()) return FileError::none;
  return session_->write(found->second, text);
}

void Interpreter::complain(std::string_view message) {
  write(2, fmt::format("{}: {}: {}\n", zero_, line_, message));
}

void Interpreter::die(int status, std::string_view message) {
  complain(message);
  leave(Flow::exit_shell, 0, status);
}

void Interpreter::leave(Flow flow, int levels, int status) {
  flow_ = flow;
  flow_levels_ = levels;
  status_ = status;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run(const List& list) {
  for (std::size_t i = 0; i < list.steps.size(); ++i) {
    const Step& step = list.steps[i];
    if (step.connector == Connector::and_then && status_ != 0) continue;
    if (step.connector == Connector::or_else && status_ == 0) continue;
    if (!session_->step()) return status_ = 137;
    const bool last_of_chain =
        i + 1 == list.steps.size() || list.steps[i + 1].connector == Connector::always;
    if (!last_of_chain || step.pipeline.negated) ++unchecked_;
    status_ = run(step.pipeline);
    if (!last_of_chain || step.pipeline.negated) --unchecked_;
    if (flow_ != Flow::normal) return status_;
    const bool checked =
        exit_on_error_ && unchecked_ == 0 && last_of_chain && !step.pipeline.negated;
    if (status_ != 0 && checked) leave(Flow::exit_shell, 0, status_);
    if (flow_ != Flow::normal) return status_;
  }
  if (list.steps.empty()) status_ = 0;
  return status_;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run(const Pipeline& pipeline) {
  int status = 0;
  if (pipeline.commands.size() == 1) {
    status = run(pipeline.commands.front());
  } else {
    Handle input = 0;
    for (std::size_t i = 0; i < pipeline.commands.size() && session_->step(); ++i) {
      Interpreter child{*this};
      if (i > 0) child.descriptors_.edit()[0] = input;
      if (i + 1 < pipeline.commands.size()) {
        input = session_->open_buffer("");
        child.descriptors_.edit()[1] = input;
      }
      status = child.run(pipeline.commands[i]);
      if (child.flow_ == Flow::exit_shell) status = child.status_;
    }
  }
  if (flow_ != Flow::normal) return status;
  if (pipeline.negated) return status == 0 ? 1 : 0;
  return status;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run(const Command& command) {
  if (nesting_ > kNesting) {
    die(2, "Maximum function recursion depth reached");
    return 2;
  }
  line_ = command.line;
  if (command.kind == CommandKind::simple) return run_simple(command);
  if (command.kind == CommandKind::function) {
    functions_.edit()[command.name] = command.body;
    return 0;
  }
  const Shared<Descriptors> saved = descriptors_;
  ++nesting_;
  const int status = redirect(command.redirects) ? run_compound(command) : 2;
  --nesting_;
  descriptors_ = saved;
  return status;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run_compound(const Command& command) {
  switch (command.kind) {
    case CommandKind::subshell:
      return run_subshell(command.lists.front());
    case CommandKind::group:
      return run(command.lists.front());
    case CommandKind::if_clause:
      return run_if(command);
    case CommandKind::while_loop:
    case CommandKind::until_loop:
      return run_loop(command);
    case CommandKind::for_loop:
      return run_for(command);
    case CommandKind::case_clause:
      return run_case(command);
    case CommandKind::simple:
    case CommandKind::function:
      break;
  }
  return 0;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run_subshell(const List& list) {
  Interpreter child{*this};
  child.loops_ = 0;
  return child.run(list);
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run_if(const Command& command) {
  std::size_t at = 0;
  for (; at + 1 < command.lists.size(); at += 2) {
    ++unchecked_;
    const int condition = run(command.lists[at]);
    --unchecked_;
    if (flow_ != Flow::normal) return status_;
    if (condition == 0) return run(command.lists[at + 1]);
  }
  if (at < command.lists.size()) return run(command.lists[at]);
  return 0;
}

// After the body of a loop: must the loop end?
bool Interpreter::leave_loop() {
  if (flow_ == Flow::normal) return false;
  if (flow_ == Flow::return_function || flow_ == Flow::exit_shell) return true;
  if (--flow_levels_ > 0) return true;
  const bool leaves = flow_ == Flow::break_loop;
  flow_ = Flow::normal;
  return leaves;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run_loop(const Command& command) {
  int status = 0;
  ++loops_;
  while (session_->step()) {
    ++unchecked_;
    const int condition = run(command.lists[0]);
    --unchecked_;
    if (leave_loop() || flow_ != Flow::normal) break;
    if ((condition == 0) != (command.kind == CommandKind::while_loop)) break;
    status = run(command.lists[1]);
    if (leave_loop()) break;
  }
  --loops_;
  return flow_ == Flow::normal ? status : status_;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run_for(const Command& command) {
  const std::vector<std::string> values = command.has_words ? expand(command.words) : positional_;
  if (flow_ != Flow::normal) return status_;
  int status = 0;
  ++loops_;
  for (const std::string& value : values) {
    if (!session_->step()) break;
    set_variable(command.name, value);
    status = run(command.lists[0]);
    if (leave_loop()) break;
  }
  --loops_;
  return flow_ == Flow::normal ? status : status_;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run_case(const Command& command) {
  const std::string subject = expand_to_text(command.words.front());
  for (const CaseBranch& branch : command.branches) {
    for (const Word& pattern : branch.patterns) {
      if (matches(expand_to_pattern(pattern), subject)) return run(branch.body);
    }
  }
  return 0;
}

Process Interpreter::process(std::vector<std::string> arguments) const {
  return Process{
      *session_,
      std::move(arguments),
      exported(),
      *descriptors_,
      user_,
      directory_,
      umask_,
      depth_ + 1,
      parent_};
}

}  // namespace fabric::lab::shell

namespace fabric::lab {

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int run_script(
    Process& process,
    std::string_view text,
    std::string_view zero,
    std::vector<std::string> arguments) {
  return shell::Interpreter{process, std::string{zero}, std::move(arguments)}.run_text(text);
}

}  // namespace fabric::lab
