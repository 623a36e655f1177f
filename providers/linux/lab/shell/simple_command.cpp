// SPDX-License-Identifier: Apache-2.0
// Simple commands: redirections, assignments, functions, builtins, programs.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/shell/builtins.hpp"
#include "providers/linux/lab/shell/interpreter.hpp"

namespace fabric::lab::shell {

// Assignments before a command. What they cover is returned unless they stay.
// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
Interpreter::Overlaid Interpreter::assign(const std::vector<Assignment>& assignments, bool stay) {
  Overlaid before;
  for (const auto& [name, word] : assignments) {
    std::string value = expand_to_text(word);
    if (flow_ != Flow::normal) break;
    const auto old = variables_->find(name);
    if (!stay && !before.contains(name)) {
      before[name] = old == variables_->end() ? std::nullopt : std::optional{old->second};
    }
    set_variable(name, std::move(value));
    if (!stay) variables_.edit()[name].exported = true;
  }
  return before;
}

void Interpreter::restore(const Overlaid& before) {
  for (const auto& [name, variable] : before) {
    if (variable) {
      variables_.edit()[name] = *variable;
    } else {
      variables_.edit().erase(name);
    }
  }
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run_simple(const Command& command) {
  substitution_status_ = 0;
  std::vector<std::string> words = expand(command.words);
  if (flow_ != Flow::normal) return status_;
  const Shared<Descriptors> saved = descriptors_;
  if (!redirect(command.redirects)) {
    descriptors_ = saved;
    if (flow_ == Flow::normal && !words.empty() && Builtins::is_special(words.front()))
      leave(Flow::exit_shell, 0, 2);
    return 2;
  }
  const bool stay = words.empty() || Builtins::is_special(words.front());
  const Overlaid before = assign(command.assignments, stay);
  int status = status_;
  if (flow_ == Flow::normal) {
    const bool keeps_redirects = !words.empty() && words.front() == "exec" && words.size() == 1;
    status = words.empty() ? substitution_status_ : run_words(std::move(words));
    if (!keeps_redirects) descriptors_ = saved;
  }
  restore(before);
  return status;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting and the parser's depth
int Interpreter::run_words(std::vector<std::string> words) {
  if (trace_) write(2, "+ " + join(words, " ") + "\n");
  const auto function = functions_->find(words.front());
  if (function != functions_->end() && !Builtins::is_special(words.front())) {
    const std::shared_ptr<const Command> body = function->second;  // it may redefine itself
    return run_function(*body, {words.begin() + 1, words.end()});
  }
  if (const Builtins::Function builtin = Builtins::find(words.front()))
    return builtin(*this, words);
  return run_external(words);
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kNesting
int Interpreter::run_function(const Command& body, std::vector<std::string> arguments) {
  std::swap(positional_, arguments);
  locals_.emplace_back();
  const int loops = loops_;
  loops_ = 0;
  ++nesting_;
  int status = run(body);
  --nesting_;
  loops_ = loops;
  if (flow_ == Flow::return_function) {
    flow_ = Flow::normal;
    status = status_;
  }
  restore(locals_.back());
  locals_.pop_back();
  std::swap(positional_, arguments);
  return status;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the depth of processes
int Interpreter::run_external(const std::vector<std::string>& words) {
  if (!session_->step()) return 137;
  Process child = process(words);
  const Started started = run_program(child);
  if (started.found) return started.status;
  complain(fmt::format(
      "{}: {}",
      words.front(),
      started.status == 127 ? "not found" : std::string{describe(started.error)}));
  return started.status;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
bool Interpreter::redirect(const std::vector<Redirect>& redirects) {
  return std::ranges::all_of(redirects, [this](const Redirect& one) { return redirect(one); });
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
bool Interpreter::redirect(const Redirect& redirect) {
  const std::string target = expand_to_text(redirect.target);
  if (flow_ != Flow::normal) return false;
  switch (redirect.kind) {
    case RedirectKind::here_document:
      descriptors_.edit()[redirect.descriptor] = session_->open_buffer(target);
      return true;
    case RedirectKind::duplicate:
      return duplicate(redirect, target);
    case RedirectKind::read:
      return redirect_from_file(redirect.descriptor, target);
    case RedirectKind::write:
    case RedirectKind::append:
    case RedirectKind::read_write:
      return redirect_to_file(redirect, target);
  }
  return false;
}

bool Interpreter::duplicate(const Redirect& redirect, const std::string& target) {
  if (target == "-") {
    descriptors_.edit().erase(redirect.descriptor);
    return true;
  }
  const std::optional<std::int64_t> number = parse_integer(target);
  const auto source = number ? descriptors_->find(static_cast<int>(*number)) : descriptors_->end();
  if (source == descriptors_->end()) {
    complain(fmt::format("{}: Bad file descriptor", target));
    return false;
  }
  const Handle handle = source->second;
  descriptors_.edit()[redirect.descriptor] = handle;
  return true;
}

bool Interpreter::redirect_from_file(int descriptor, const std::string& target) {
  std::string content;
  const FileError error =
      session_->machine.state.files.read(absolute_path(directory_, target), user_, content);
  if (error == FileError::none) {
    descriptors_.edit()[descriptor] = session_->open_buffer(std::move(content));
    return true;
  }
  const std::string_view reason = error == FileError::not_found ? "No such file" : describe(error);
  complain(fmt::format("cannot open {}: {}", target, reason));
  return false;
}

bool Interpreter::redirect_to_file(const Redirect& redirect, const std::string& target) {
  InodeNumber number = 0;
  const FileError error = session_->machine.state.files.open_for_write(
      absolute_path(directory_, target),
      user_,
      0666U & ~umask_,
      redirect.kind == RedirectKind::write ? FileTree::Open::truncate : FileTree::Open::append,
      number);
  if (error == FileError::none) {
    descriptors_.edit()[redirect.descriptor] = session_->open_inode(number);
    return true;
  }
  const std::string_view reason =
      error == FileError::not_found ? "Directory nonexistent" : describe(error);
  complain(fmt::format("cannot create {}: {}", target, reason));
  return false;
}

}  // namespace fabric::lab::shell
