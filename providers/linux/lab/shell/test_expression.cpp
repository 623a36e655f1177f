// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/shell/test_expression.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/base/text.hpp"

namespace fabric::lab {
namespace {

constexpr std::array<std::string_view, 6> kIntegers = {"-eq", "-ne", "-lt", "-gt", "-le", "-ge"};

class Expression {
 public:
  Expression(const std::vector<std::string>& words, const TestContext& context)
      : words_{words}, context_{context} {}

  bool alternatives() {  // NOLINT(misc-no-recursion): bounded by the number of words
    bool result = all();
    while (take("-o"))
      result = all() || result;
    return result;
  }
  bool complete() const { return at_ == words_.size(); }
  std::string problem;

 private:
  bool more(std::size_t count = 1) const { return at_ + count <= words_.size(); }
  bool take(std::string_view what) {
    if (!more() || words_[at_] != what) return false;
    ++at_;
    return true;
  }

  bool all() {  // NOLINT(misc-no-recursion): bounded by the number of words
    bool result = primary();
    while (take("-a"))
      result = primary() && result;
    return result;
  }

  bool is_binary(const std::string& word) const {
    return word == "=" || word == "!=" || word == "==" || word == "-nt" || word == "-ot" ||
           word == "-ef" || std::find(kIntegers.begin(), kIntegers.end(), word) != kIntegers.end();
  }

  bool primary() {  // NOLINT(misc-no-recursion): bounded by the number of words
    if (!more()) {
      problem = "argument expected";
      return false;
    }
    if (more(3) && is_binary(words_[at_ + 1])) return binary();
    if (more(2) && take("!")) return !primary();
    if (more(2) && take("(")) {
      const bool result = alternatives();
      if (!take(")")) problem = "closing paren expected";
      return result;
    }
    const std::string& word = words_[at_];
    if (more(2) && word.size() == 2 && word[0] == '-' &&
        std::string_view{"nzefdrwxsLhpSbcgktu"}.find(word[1]) != std::string_view::npos) {
      at_ += 2;
      return unary(word[1], words_[at_ - 1]);
    }
    ++at_;
    return !word.empty();
  }

  bool unary(char test, const std::string& operand) {
    if (test == 'n') return !operand.empty();
    if (test == 'z') return operand.empty();
    if (test == 't') return false;  // no terminal
    const std::string path = absolute_path(context_.directory, operand);
    if (operand.empty()) return false;
    const Inode* file =
        context_.files.find(path, test == 'L' || test == 'h' ? Follow::no : Follow::yes);
    if (file == nullptr) return false;
    switch (test) {
      case 'e':
        return true;
      case 'f':
        return file->kind != FileKind::directory && file->kind != FileKind::null_device;
      case 'd':
        return file->kind == FileKind::directory;
      case 'L':
      case 'h':
        return file->kind == FileKind::symlink;
      case 'r':
        return context_.files.allows(*file, context_.user, 4);
      case 'w':
        return context_.files.allows(*file, context_.user, 2);
      case 'x':
        return context_.files.allows(*file, context_.user, 1);
      case 's':
        return !file->content.empty() || file->kind == FileKind::directory;
      case 'c':
        return file->kind == FileKind::null_device;
      default:
        return false;
    }
  }

  bool binary() {
    const std::string& left = words_[at_];
    const std::string& sign = words_[at_ + 1];
    const std::string& right = words_[at_ + 2];
    at_ += 3;
    if (sign == "=" || sign == "==") return left == right;
    if (sign == "!=") return left != right;
    if (sign == "-nt" || sign == "-ot" || sign == "-ef") return files(left, sign, right);
    const std::optional<std::int64_t> a = parse_integer(trim(left));
    const std::optional<std::int64_t> b = parse_integer(trim(right));
    if (!a || !b) {
      problem = "Illegal number: " + (a ? right : left);
      return false;
    }
    if (sign == "-eq") return *a == *b;
    if (sign == "-ne") return *a != *b;
    if (sign == "-lt") return *a < *b;
    if (sign == "-gt") return *a > *b;
    if (sign == "-le") return *a <= *b;
    return *a >= *b;
  }

  bool files(const std::string& left, const std::string& sign, const std::string& right) {
    const Inode* a = context_.files.find(absolute_path(context_.directory, left));
    const Inode* b = context_.files.find(absolute_path(context_.directory, right));
    if (sign == "-ef") return a != nullptr && a == b;
    if (sign == "-nt") return a != nullptr && (b == nullptr || a->modified > b->modified);
    return b != nullptr && (a == nullptr || a->modified < b->modified);
  }

  const std::vector<std::string>& words_;
  const TestContext& context_;
  std::size_t at_ = 0;
};

}  // namespace

int evaluate_test(
    const std::vector<std::string>& words, const TestContext& context, std::string& problem) {
  if (words.empty()) return 1;
  Expression expression{words, context};
  const bool result = expression.alternatives();
  problem = expression.problem;
  if (problem.empty() && !expression.complete()) problem = "unexpected operator";
  if (!problem.empty()) return 2;
  return result ? 0 : 1;
}

}  // namespace fabric::lab
