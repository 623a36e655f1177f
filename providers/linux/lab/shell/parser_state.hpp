// SPDX-License-Identifier: Apache-2.0
// Parser: recursive descent over the text, characters to tree without a token list, because the
// meaning of a character in a shell depends on its place. Private to shell/parser*.cpp.
#pragma once

#include <string>
#include <string_view>

#include "providers/linux/lab/shell/ast.hpp"

namespace fabric::lab::shell {

// True for letters, digits and '_', not beginning with a digit.
bool is_variable_name(std::string_view text);

class Parser {
 public:
  explicit Parser(std::string_view text) : text_{text} {}

  List script();
  Word expansions();
  const std::string& error() const { return error_; }

 private:
  // Words (parser_word.cpp).
  enum class Context : unsigned char { bare, double_quotes, braces, braces_in_quotes, raw };
  Word word(Context context);
  bool ends_word(Context context) const;
  void escape(Word& word, Context context);
  void single_quotes(Word& word);
  void double_quotes(Word& word);
  void dollar(Word& word, bool quoted);
  void braces(Word& word, bool quoted);
  void arithmetic(Word& word, bool quoted);
  void command_substitution(Word& word, bool quoted);
  void backticks(Word& word, bool quoted);
  bool special_part(Word& word, Context context);

  // Commands (parser.cpp).
  List list(std::string_view closing);
  Pipeline pipeline();
  Command command();
  Command simple_command();
  void function_or_call(Command& command);
  Command if_clause();
  Command loop(CommandKind kind);
  Command for_loop();
  Command case_clause();
  CaseBranch case_branch();
  Command group(CommandKind kind, std::string_view closing);
  void redirects(Command& command);
  bool redirect(Command& command);
  Word here_document(bool strip_tabs);

  // Characters.
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  char take();
  void skip_blanks();
  void skip_lines();
  // The reserved word or unquoted name at this place; it is not taken.
  std::string_view plain_word() const;
  bool take_reserved(std::string_view what);
  void expect_reserved(std::string_view what);
  bool take_operator(std::string_view what);
  void fail(const std::string& why);
  void fail_unexpected();
  bool failed() const { return !error_.empty(); }
  bool enter();  // false when nested too deeply

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  int depth_ = 0;
  std::string error_;
  // Where reading continues after a line with here-documents, 0 if it has none. A line end within
  // quotes between `<<END` and the end of its line is not supported.
  std::size_t after_here_documents_ = 0;
};

}  // namespace fabric::lab::shell
