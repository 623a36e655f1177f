// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a POSIX shell script. Running it changes nothing in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fabric::lab::shell {

struct Word;
struct List;

enum class PartKind : std::uint8_t { literal, parameter, command, arithmetic };

struct WordPart {
  PartKind kind = PartKind::literal;
  bool quoted = false;
  std::string text;            // of a literal; name of a parameter
  std::string operation;       // of a parameter: "", "length", ":-", "-", ":=", "%", "%%", ...
  std::vector<Word> argument;  // of the operation; the expression of arithmetic
  std::vector<List> program;   // of a command substitution
};

struct Word {
  std::vector<WordPart> parts;
};

enum class RedirectKind : std::uint8_t {
  read,
  write,
  append,
  read_write,
  duplicate,
  here_document
};

struct Redirect {
  int descriptor = 0;
  RedirectKind kind = RedirectKind::read;
  Word target;  // file name, number or "-" of a duplicate, text of a here-document
};

enum class CommandKind : std::uint8_t {
  simple,
  subshell,
  group,
  if_clause,
  while_loop,
  until_loop,
  for_loop,
  case_clause,
  function
};

struct CaseBranch;

struct Assignment {
  std::string name;
  Word value;
};

struct Command {
  CommandKind kind = CommandKind::simple;
  std::uint32_t line = 1;
  std::string name;  // variable of a for loop; name of a function
  std::vector<Assignment> assignments;
  std::vector<Word> words;  // of a simple command; values of `for`; the subject of `case`
  bool has_words = false;   // `for x in`, as opposed to `for x`
  std::vector<Redirect> redirects;
  // if: condition, body, condition, body, [else]; loops: condition, body; others: body.
  std::vector<List> lists;
  std::vector<CaseBranch> branches;
  // The body of a function, which may outlive the script that defines it.
  std::shared_ptr<const Command> body;
};

struct Pipeline {
  bool negated = false;
  std::vector<Command> commands;
};

enum class Connector : std::uint8_t { always, and_then, or_else };

struct Step {
  Connector connector = Connector::always;  // to the step before
  Pipeline pipeline;
};

// `;`, `&` and line ends separate the steps that have Connector::always.
struct List {
  std::vector<Step> steps;
};

struct CaseBranch {
  std::vector<Word> patterns;
  List body;
};

}  // namespace fabric::lab::shell
