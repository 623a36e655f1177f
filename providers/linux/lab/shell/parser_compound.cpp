// SPDX-License-Identifier: Apache-2.0
// Compound commands: groups, if, loops, case.

#include "providers/linux/lab/shell/parser_state.hpp"

namespace fabric::lab::shell {

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
