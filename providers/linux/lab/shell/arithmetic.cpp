// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/shell/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/base/text.hpp"

namespace fabric::lab::shell {
namespace {

struct Operator {
  std::string_view sign;
  int precedence;
};
// Longer signs first.
constexpr std::array<Operator, 18> kOperators = {
    {{"||", 1},
     {"&&", 2},
     {"==", 6},
     {"!=", 6},
     {"<=", 7},
     {">=", 7},
     {"<<", 8},
     {">>", 8},
     {"|", 3},
     {"^", 4},
     {"&", 5},
     {"<", 7},
     {">", 7},
     {"+", 9},
     {"-", 9},
     {"*", 10},
     {"/", 10},
     {"%", 10}}};

// Wraps around as the shell's own arithmetic does.
std::int64_t wrap(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

class Evaluator {
 public:
  Evaluator(std::string_view text, const Variables& variables)
      : text_{text}, variables_{variables} {}

  std::optional<std::int64_t> whole() {
    skip();
    if (at_ == text_.size()) return 0;
    const std::int64_t value = ternary();
    skip();
    if (failed_ || at_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
      ++at_;
  }
  bool take(std::string_view what) {
    skip();
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded by kDepth
  std::int64_t ternary() {
    const std::int64_t condition = binary(1);
    if (!take("?")) return condition;
    const std::int64_t yes = ternary();
    if (!take(":")) failed_ = true;
    const std::int64_t no = ternary();
    return condition != 0 ? yes : no;
  }

  const Operator* next_operator() {
    skip();
    const auto* found =
        std::find_if(kOperators.begin(), kOperators.end(), [&](const Operator& candidate) {
          return text_.substr(at_, candidate.sign.size()) == candidate.sign;
        });
    return found == kOperators.end() ? nullptr : found;
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded by kDepth
  std::int64_t binary(int least) {
    std::int64_t left = unary();
    for (const Operator* sign = next_operator();
         sign != nullptr && sign->precedence >= least && !failed_;
         sign = next_operator()) {
      at_ += sign->sign.size();
      left = apply(sign->sign, left, binary(sign->precedence + 1));
    }
    return left;
  }

  std::int64_t apply(std::string_view sign, std::int64_t left, std::int64_t right) {
    const auto a = static_cast<std::uint64_t>(left);
    const auto b = static_cast<std::uint64_t>(right);
    if (sign == "+") return wrap(a + b);
    if (sign == "-") return wrap(a - b);
    if (sign == "*") return wrap(a * b);
    if (sign == "/" || sign == "%") {
      if (right == 0 || (right == -1 && left == INT64_MIN)) {
        failed_ = true;
        return 0;
      }
      return sign == "/" ? left / right : left % right;
    }
    if (sign == "<<") return wrap(a << (b & 63U));
    if (sign == ">>") return wrap(a >> (b & 63U));
    if (sign == "&") return wrap(a & b);
    if (sign == "|") return wrap(a | b);
    if (sign == "^") return wrap(a ^ b);
    return compare(sign, left, right) ? 1 : 0;
  }

  static bool compare(std::string_view sign, std::int64_t left, std::int64_t right) {
    if (sign == "==") return left == right;
    if (sign == "!=") return left != right;
    if (sign == "<") return left < right;
    if (sign == ">") return left > right;
    if (sign == "<=") return left <= right;
    if (sign == ">=") return left >= right;
    if (sign == "&&") return left != 0 && right != 0;
    return left != 0 || right != 0;
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded by kDepth
  std::int64_t unary() {
    if (++depth_ > kDepth) failed_ = true;
    if (failed_) return 0;
    if (take("-")) return wrap(~static_cast<std::uint64_t>(unary()) + 1);
    if (take("+")) return unary();
    if (text_.substr(at_, 2) != "!=" && take("!")) return unary() == 0 ? 1 : 0;
    if (take("~")) return wrap(~static_cast<std::uint64_t>(unary()));
    if (take("(")) {
      const std::int64_t value = ternary();
      if (!take(")")) failed_ = true;
      return value;
    }
    return operand();
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded by kDepth
  std::int64_t operand() {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string_view token = text_.substr(start, at_ - start);
    if (token.empty()) {
      failed_ = true;
      return 0;
    }
    if (std::isdigit(static_cast<unsigned char>(token.front())) != 0) return number(token);
    skip();
    if (text_.substr(at_, 1) == "=" && text_.substr(at_, 2) != "==") {
      ++at_;
      const std::int64_t value = ternary();
      variables_.assign(token, value);
      return value;
    }
    return variables_.variable(token);
  }

  std::int64_t number(std::string_view token) {
    int base = 10;
    if (token.size() > 2 && (token.substr(0, 2) == "0x" || token.substr(0, 2) == "0X")) {
      base = 16;
      token.remove_prefix(2);
    } else if (token.size() > 1 && token.front() == '0') {
      base = 8;
      token.remove_prefix(1);
    }
    const std::optional<std::uint64_t> value = parse_unsigned(token, base);
    if (!value) failed_ = true;
    return wrap(value.value_or(0));
  }

  static constexpr int kDepth = 200;
  std::string_view text_;
  const Variables& variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<std::int64_t> evaluate(std::string_view expression, const Variables& variables) {
  return Evaluator{expression, variables}.whole();
}

}  // namespace fabric::lab::shell
