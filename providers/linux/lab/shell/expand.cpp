// SPDX-License-Identifier: Apache-2.0
// Word expansion: parameters, command substitution, arithmetic, field splitting, path names.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/text.hpp"
#include "providers/linux/lab/shell/interpreter.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab::shell {

namespace {

// $((expression)) of the shell: 64-bit integers.

// `variable` gives a name's value; `assign` stores one. nullopt: not an expression, or a division
// by zero.
struct Variables {
  std::function<std::int64_t(std::string_view)> variable;
  std::function<void(std::string_view, std::int64_t)> assign;
};

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
    const auto* found = std::ranges::find_if(kOperators, [&](const Operator& candidate) {
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

std::optional<std::int64_t> evaluate(std::string_view expression, const Variables& variables) {
  return Evaluator{expression, variables}.whole();
}

// Told one by one: a search among them is a call for each character.
bool may_have_wildcard(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c == '*' || c == '?' || c == '['; });
}

// Most words of a script: one literal that is neither split nor matched against file names.
bool stays_as_written(const Word& word) {
  if (word.parts.size() != 1) return false;
  const WordPart& part = word.parts.front();
  if (part.kind != PartKind::literal) return false;
  return part.quoted || (!part.text.empty() && !may_have_wildcard(part.text));
}

// The parameter of "$name" and "$@" in quotes, which are neither split nor matched against file
// names; null of other words.
const WordPart* quoted_parameter(const Word& word) {
  if (word.parts.empty() || word.parts.size() > 2) return nullptr;
  const WordPart& last = word.parts.back();
  if (last.kind != PartKind::parameter || !last.quoted || !last.operation.empty()) return nullptr;
  // Quotes around anything but "$@" leave an empty literal.
  const WordPart& first = word.parts.front();
  const bool is_alone = &first == &last ||
                        (first.kind == PartKind::literal && first.text.empty() && last.text != "@");
  return is_alone && last.text != "*" ? &last : nullptr;
}

std::string to_pattern(const Text& text) {
  std::string pattern;
  for (std::size_t i = 0; i < text.text.size(); ++i) {
    if (text.origin[i] == 'q' &&
        std::string_view{"*?[]\\"}.find(text.text[i]) != std::string_view::npos)
      pattern += '\\';
    pattern += text.text[i];
  }
  return pattern;
}

}  // namespace

void Interpreter::Fields::add(std::string_view text, char origin) {
  current.text += text;
  current.origin.append(text.size(), origin);
  if (!text.empty() || origin == 'q') started = true;
}

void Interpreter::Fields::end_field() {
  if (started) done.push_back(std::move(current));
  current = Text{};
  started = false;
}

std::optional<std::string> Interpreter::parameter(const std::string& name) const {
  if (name == "?") return std::to_string(status_);
  if (name == "#") return std::to_string(positional_.size());
  if (name == "$") return std::to_string(process_number_);
  if (name == "0") return zero_;
  if (name == "-") return std::string{exit_on_error_ ? "e" : ""} + (no_unset_ ? "u" : "");
  if (name == "!") return "";
  if (name == "@" || name == "*") {
    if (positional_.empty()) return std::nullopt;
    return join(positional_, " ");
  }
  if (const std::optional<std::uint64_t> number = parse_unsigned(name, 10)) {
    if (*number > positional_.size()) return std::nullopt;
    return positional_[*number - 1];
  }
  const auto found = variables_->find(name);
  if (found == variables_->end()) return std::nullopt;
  return found->second.value;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
void Interpreter::expand(const Word& word, char origin, Fields& fields) {
  for (const WordPart& part : word.parts) {
    if (flow_ != Flow::normal) return;
    switch (part.kind) {
      case PartKind::literal:
        fields.add(part.text, part.quoted ? 'q' : origin);
        break;
      case PartKind::parameter:
        expand_parameter(part, fields);
        break;
      case PartKind::command:
        fields.add(substitute(part.program.front()), part.quoted ? 'q' : 'x');
        break;
      case PartKind::arithmetic:
        fields.add(evaluate_arithmetic(part.argument.front()), part.quoted ? 'q' : 'x');
        break;
    }
  }
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
void Interpreter::expand_parameter(const WordPart& part, Fields& fields) {
  if ((part.text == "@" || part.text == "*") && part.operation.empty())
    return expand_positional(part, fields);
  const std::optional<std::string> value = parameter(part.text);
  const char origin = part.quoted ? 'q' : 'x';
  if (part.operation == "length") {
    fields.add(std::to_string(value.value_or("").size()), origin);
    return;
  }
  if (!part.operation.empty() && expand_operation(part, value, fields)) return;
  if (!value && no_unset_ && part.text != "@" && part.text != "*") {
    return die(2, part.text + ": parameter not set");
  }
  const bool affix =
      !part.operation.empty() && (part.operation.front() == '%' || part.operation.front() == '#');
  fields.add(affix ? remove_affix(part, value.value_or("")) : value.value_or(""), origin);
}

void Interpreter::expand_positional(const WordPart& part, Fields& fields) {
  if (part.quoted && part.text == "*") {
    const std::string separators = parameter("IFS").value_or(" ");
    fields.add(join(positional_, separators.substr(0, 1)), 'q');
    return;
  }
  for (std::size_t i = 0; i < positional_.size(); ++i) {
    if (i > 0) fields.end_field();
    fields.add(positional_[i], part.quoted ? 'q' : 'x');
  }
}

// True if the operation decided the result.
// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
bool Interpreter::expand_operation(
    const WordPart& part, const std::optional<std::string>& value, Fields& fields) {
  const bool colon = part.operation.front() == ':';
  const char kind = part.operation.back();
  const bool present = value && (!colon || !value->empty());
  const Word& argument = part.argument.front();
  const char origin = part.quoted ? 'q' : 'x';
  switch (kind) {
    case '+':
      if (present) expand(argument, origin, fields);
      if (part.quoted) fields.add("", 'q');
      return true;
    case '-':
      if (present) return false;
      expand(argument, origin, fields);
      return true;
    case '=':
      if (present) return false;
      set_variable(part.text, expand_to_text(argument));
      fields.add(parameter(part.text).value_or(""), origin);
      return true;
    case '?': {
      if (present) return false;
      const std::string message = expand_to_text(argument);
      die(2, part.text + ": " + (message.empty() ? "parameter not set" : message));
      return true;
    }
    default:
      return false;
  }
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
std::string Interpreter::remove_affix(const WordPart& part, const std::string& value) {
  const std::string pattern = expand_to_pattern(part.argument.front());
  const bool longest = part.operation.size() == 2;
  const bool suffix = part.operation.front() == '%';
  for (std::size_t step = 0; step <= value.size(); ++step) {
    const std::size_t length = longest ? value.size() - step : step;
    const std::string_view whole{value};
    const std::string_view piece =
        suffix ? whole.substr(value.size() - length) : whole.substr(0, length);
    if (!matches(pattern, piece)) continue;
    return std::string{suffix ? whole.substr(0, value.size() - length) : whole.substr(length)};
  }
  return value;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
std::string Interpreter::substitute(const List& program) {
  Interpreter child{*this};
  child.loops_ = 0;
  const Handle output = session_->open_buffer("");
  child.descriptors_.edit()[1] = output;
  substitution_status_ = child.run(program);
  if (child.flow_ == Flow::exit_shell) substitution_status_ = child.status_;
  status_ = substitution_status_;
  std::string text = std::move(session_->file(output).data);
  session_->close_from(output);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
std::string Interpreter::evaluate_arithmetic(const Word& expression) {
  const std::string text = expand_to_text(expression);
  const Variables variables{
      [this](std::string_view name) {
        return parse_integer(parameter(std::string{name}).value_or("0")).value_or(0);
      },
      [this](std::string_view name, std::int64_t value) {
        set_variable(std::string{name}, std::to_string(value));
      }};
  const std::optional<std::int64_t> value = evaluate(text, variables);
  if (value) return std::to_string(*value);
  die(2, "arithmetic expression: expecting primary: \"" + text + "\"");
  return "0";
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
std::string Interpreter::expand_to_text(const Word& word) {
  if (stays_as_written(word)) return word.parts.front().text;
  Fields fields;
  expand(word, 'l', fields);
  fields.end_field();
  if (fields.done.size() == 1) return std::move(fields.done.front().text);
  std::string result;
  for (const Text& text : fields.done)
    result += (result.empty() ? "" : " ") + text.text;
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
std::string Interpreter::expand_to_pattern(const Word& word) {
  Fields fields;
  expand(word, 'l', fields);
  fields.end_field();
  std::string pattern;
  for (const Text& text : fields.done)
    pattern += (pattern.empty() ? "" : " ") + to_pattern(text);
  return pattern;
}

std::vector<Text> Interpreter::split_fields(const Text& text) const {
  const std::string separators = parameter("IFS").value_or(" \t\n");
  std::vector<Text> fields;
  Text current;
  bool started = text.text.empty();  // "" was quoted, or it would not be here
  bool after_hard = false;
  for (std::size_t i = 0; i < text.text.size(); ++i) {
    const char c = text.text[i];
    if (text.origin[i] != 'x' || separators.find(c) == std::string::npos) {
      current.text += c;
      current.origin += text.origin[i];
      started = true;
      after_hard = false;
      continue;
    }
    const bool hard = std::string_view{" \t\n"}.find(c) == std::string_view::npos;
    if (started || (hard && after_hard) || (hard && fields.empty()))
      fields.push_back(std::move(current));
    current = Text{};
    started = false;
    after_hard = hard || (after_hard && !hard);
  }
  if (started) fields.push_back(std::move(current));
  return fields;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by the parser's depth
std::vector<std::string> Interpreter::expand(const std::vector<Word>& words) {
  std::vector<std::string> result;
  result.reserve(words.size());
  for (const Word& word : words) {
    if (stays_as_written(word)) {
      result.push_back(word.parts.front().text);
      continue;
    }
    if (const WordPart* part = quoted_parameter(word); part != nullptr && !no_unset_) {
      if (part->text == "@") {
        result.insert(result.end(), positional_.begin(), positional_.end());
      } else {
        result.push_back(parameter(part->text).value_or(""));
      }
      continue;
    }
    Fields fields;
    expand(word, 'l', fields);
    fields.end_field();
    if (flow_ != Flow::normal) return result;
    for (Text& field : fields.done) {
      if (field.origin.find('x') == std::string::npos) {
        add_paths(std::move(field), result);
        continue;
      }
      for (Text& piece : split_fields(field))
        add_paths(std::move(piece), result);
    }
  }
  return result;
}

// Adds the paths that match a field with wildcards; the field itself if it has none, or none match.
void Interpreter::add_paths(Text field, std::vector<std::string>& result) const {
  if (!no_glob_ && may_have_wildcard(field.text)) {
    const std::string pattern = to_pattern(field);
    const std::vector<std::string> paths =
        has_wildcard(pattern) ? glob(pattern) : std::vector<std::string>{};
    if (!paths.empty()) {
      result.insert(result.end(), paths.begin(), paths.end());
      return;
    }
  }
  result.push_back(std::move(field.text));
}

std::vector<std::string> Interpreter::glob_part(
    const std::string& base, std::string_view part, bool last) const {
  const FileTree& files = session_->machine.state.files;
  const std::string end = last ? "" : "/";
  if (!has_wildcard(part)) {
    const std::string path = base + unescape(part);
    const Follow follow = last ? Follow::no : Follow::yes;
    if (files.find(absolute_path(directory_, path), follow) == nullptr) return {};
    return {path + end};
  }
  std::vector<std::string> found;
  const std::string folder = absolute_path(directory_, base);
  for (const std::string& name : files.list(folder)) {
    const bool hidden = name.front() == '.' && part.front() != '.';
    if (hidden || !matches(part, name)) continue;
    const Inode* entry = files.find(absolute_path(folder, name));
    const bool is_folder = entry != nullptr && entry->kind == FileKind::directory;
    if (last || is_folder) found.push_back(base + name + end);
  }
  return found;
}

std::vector<std::string> Interpreter::glob(const std::string& pattern) const {
  std::vector<std::string> found{pattern.front() == '/' ? "/" : ""};
  const std::vector<std::string_view> parts = split(pattern, '/');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    std::vector<std::string> next;
    for (const std::string& base : found) {
      const auto below = glob_part(base, parts[i], i + 1 == parts.size());
      next.insert(next.end(), below.begin(), below.end());
    }
    found = std::move(next);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void Interpreter::set_variable(const std::string& name, std::string value) {
  variables_.edit()[name].value = std::move(value);
}

Environment Interpreter::exported() const {
  Environment environment;
  for (const auto& [name, variable] : *variables_) {
    if (variable.exported) environment[name] = variable.value;
  }
  return environment;
}

}  // namespace fabric::lab::shell
