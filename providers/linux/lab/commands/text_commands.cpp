// SPDX-License-Identifier: Apache-2.0
// cat head tail tr wc
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"

namespace fabric::lab::commands {
namespace {

// Content of all operands (or the input) one after the other; `status` becomes 1 on a failure.
std::string concatenate(Process& process, const std::vector<std::string>& operands, int& status) {
  if (operands.empty()) return process.input();
  std::string all;
  for (const std::string& operand : operands) {
    const std::optional<std::string> content = process.read_file(operand);
    if (content) {
      all += *content;
    } else {
      status = 1;
    }
  }
  return all;
}

std::string lines_to_text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

std::vector<std::string> to_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text))
    lines.emplace_back(line);
  return lines;
}

// "-5" is "-n 5" of head and tail.
void expand_number_option(Process& process) {
  for (std::string& word : process.arguments) {
    if (word.size() > 1 && word[0] == '-' &&
        std::isdigit(static_cast<unsigned char>(word[1])) != 0) {
      word = "-n" + word.substr(1);
    }
  }
}

}  // namespace

int cat(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "un", .valued = ""});
  if (!options) return 1;
  int status = 0;
  const std::string text = concatenate(process, options->operands, status);
  if (process.write(1, text) == FileError::none) return status;
  return process.fail(1, "write error: No space left on device");
}

int head(Process& process) {
  expand_number_option(process);
  const std::optional<Options> options = parse_options(process, {.flags = "q", .valued = "nc"});
  if (!options) return 1;
  int status = 0;
  const std::string text = concatenate(process, options->operands, status);
  if (options->has("c")) {
    process.out(
        text.substr(0, static_cast<std::size_t>(parse_integer(options->value("c")).value_or(0))));
    return status;
  }
  std::vector<std::string> lines = to_lines(text);
  const std::int64_t count = parse_integer(options->value("n", "10")).value_or(10);
  const auto most = static_cast<std::int64_t>(lines.size());
  lines.resize(static_cast<std::size_t>(
      count < 0 ? std::max<std::int64_t>(0, most + count) : std::min(count, most)));
  process.out(lines_to_text(lines));
  return status;
}

int tail(Process& process) {
  expand_number_option(process);
  const std::optional<Options> options = parse_options(process, {.flags = "qf", .valued = "nc"});
  if (!options) return 1;
  int status = 0;
  const std::string text = concatenate(process, options->operands, status);
  if (options->has("c")) {
    const auto count = static_cast<std::size_t>(parse_integer(options->value("c")).value_or(0));
    process.out(text.substr(text.size() - std::min(count, text.size())));
    return status;
  }
  const std::vector<std::string> lines = to_lines(text);
  const std::string number = options->value("n", "10");
  const bool from_start = number.front() == '+';
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(
      0, parse_integer(from_start ? std::string_view{number}.substr(1) : number).value_or(10)));
  std::size_t first = lines.size() - std::min(count, lines.size());
  if (from_start) first = std::min(count == 0 ? 0 : count - 1, lines.size());
  process.out(lines_to_text({lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end()}));
  return status;
}

namespace {

// A set of characters as tr is given it ("a-z", "[:upper:]", "\n"), written out.
class CharacterSet {
 public:
  explicit CharacterSet(std::string_view text) : left_{text} {}

  std::string read() {
    while (!left_.empty()) {
      if (!character_class() && !octal() && !escape() && !range()) take(left_.front(), 1);
    }
    return std::move(set_);
  }

 private:
  struct Class {
    std::string_view name;
    int (*member)(int);
  };

  // Adds what the next `length` characters of the text mean.
  void take(char meant, std::size_t length) {
    set_ += meant;
    left_.remove_prefix(length);
  }

  bool character_class() {
    static const std::array<Class, 6> classes{
        {{"[:upper:]", std::isupper},
         {"[:lower:]", std::islower},
         {"[:digit:]", std::isdigit},
         {"[:space:]", std::isspace},
         {"[:alnum:]", std::isalnum},
         {"[:alpha:]", std::isalpha}}};
    const auto* const found =
        std::find_if(classes.begin(), classes.end(), [&](const Class& candidate) {
          return left_.starts_with(candidate.name);
        });
    if (found == classes.end()) return false;
    for (int c = 1; c < 128; ++c) {
      if (found->member(c) != 0) set_ += static_cast<char>(c);
    }
    left_.remove_prefix(found->name.size());
    return true;
  }

  // One to three digits after a backslash.
  bool octal() {
    if (left_.front() != '\\') return false;
    const std::string_view digits = left_.substr(1, left_.find_first_not_of("01234567", 1) - 1);
    const std::string_view three = digits.substr(0, 3);
    const std::optional<std::uint64_t> value = parse_unsigned(three, 8);
    if (!value) return false;
    take(static_cast<char>(*value & 0xFFU), 1 + three.size());
    return true;
  }

  bool escape() {
    if (left_.front() != '\\' || left_.size() < 2) return false;
    const char c = left_[1];
    take(c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c, 2);
    return true;
  }

  bool range() {
    if (left_.size() < 3 || left_[1] != '-' || left_[2] < left_[0]) return false;
    const char last = left_[2];
    for (char c = left_[0]; c < last; ++c)
      set_ += c;
    take(last, 3);
    return true;
  }

  std::string_view left_;
  std::string set_;
};

}  // namespace

int tr(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "dscC", .valued = ""});
  if (!options) return 1;
  if (options->operands.empty()) return process.fail(1, "missing operand");
  const std::string from = CharacterSet{options->operands[0]}.read();
  const std::string to =
      options->operands.size() > 1 ? CharacterSet{options->operands[1]}.read() : "";
  const bool complement = options->has("c") || options->has("C");
  const bool remove = options->has("d");
  const std::string& squeeze = remove || options->operands.size() > 1 ? to : from;
  std::string result;
  for (const char c : process.input()) {
    const std::size_t at = from.find(c);
    const bool member = (at != std::string::npos) != complement;
    char mapped = c;
    if (member && remove) continue;
    if (member && !to.empty()) mapped = complement || at >= to.size() ? to.back() : to[at];
    const bool squeezed = options->has("s") && squeeze.find(mapped) != std::string::npos;
    if (squeezed && !result.empty() && result.back() == mapped) continue;
    result += mapped;
  }
  process.out(result);
  return 0;
}

int wc(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "lc", .valued = ""});
  if (!options) return 1;
  if (options->given.size() != 1 || !options->operands.empty())
    return process.fail(1, "only -c or -l of the input is played here");
  const std::string text = process.input();
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  process.out(fmt::format("{}\n", options->has("c") ? text.size() : lines));
  return 0;
}

}  // namespace fabric::lab::commands
