// SPDX-License-Identifier: Apache-2.0
// sed: s///, p, d, q, n-th line and /regex/ addresses, ranges, -n -e -E -i.
#include <cctype>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/commands/regex.hpp"

namespace fabric::lab::commands {
namespace {

struct Address {
  enum class Kind : std::uint8_t { none, line, last, regex } kind = Kind::none;
  std::size_t line = 0;
  std::optional<std::string> pattern;
};

struct Instruction {
  Address from, to;
  bool negated = false;
  bool within = false;  // a range that has begun
  char command = 'p';
  std::string pattern, replacement;
  bool global = false, print = false, ignore_case = false;
};

class Reader {
 public:
  explicit Reader(const std::string& text) : text_{text} {}

  std::optional<std::vector<Instruction>> read() {
    std::vector<Instruction> instructions;
    for (skip(" \t\n;"); at_ < text_.size(); skip(" \t\n;")) {
      Instruction instruction;
      if (!instruction_at(instruction)) return std::nullopt;
      instructions.push_back(std::move(instruction));
    }
    return instructions;
  }

 private:
  void skip(std::string_view characters) {
    while (at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  bool instruction_at(Instruction& result) {
    if (!address(result.from)) return false;
    if (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      if (!address(result.to) || result.to.kind == Address::Kind::none) return false;
    }
    skip(" ");
    if (at_ < text_.size() && text_[at_] == '!') {
      result.negated = true;
      ++at_;
    }
    if (at_ >= text_.size()) return false;
    result.command = text_[at_++];
    if (result.command == 's') return substitution(result);
    return std::string_view{"pdq="}.find(result.command) != std::string_view::npos;
  }

  bool address(Address& result) {
    if (at_ >= text_.size()) return true;
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      result.kind = Address::Kind::line;
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
        result.line = result.line * 10 + static_cast<std::size_t>(text_[at_++] - '0');
      }
    } else if (text_[at_] == '$') {
      result.kind = Address::Kind::last;
      ++at_;
    } else if (text_[at_] == '/') {
      result.kind = Address::Kind::regex;
      ++at_;
      result.pattern = delimited('/');
      return result.pattern.has_value();
    }
    return true;
  }

  // Up to the delimiter, which is taken; "\<delimiter>" is the character itself.
  std::optional<std::string> delimited(char delimiter) {
    std::string part;
    while (at_ < text_.size() && text_[at_] != delimiter) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] != delimiter) part += '\\';
        ++at_;
        if (text_[at_] == 'n' && !part.empty() && part.back() == '\\') {
          part.back() = '\n';
          ++at_;
          continue;
        }
      }
      part += text_[at_++];
    }
    if (at_ >= text_.size()) return std::nullopt;
    ++at_;
    return part;
  }

  bool substitution(Instruction& result) {
    if (at_ >= text_.size()) return false;
    const char delimiter = text_[at_++];
    const std::optional<std::string> pattern = delimited(delimiter);
    const std::optional<std::string> replacement = pattern ? delimited(delimiter) : std::nullopt;
    if (!replacement) return false;
    result.pattern = *pattern;
    result.replacement = *replacement;
    for (;
         at_ < text_.size() && std::string_view{"gpiI"}.find(text_[at_]) != std::string_view::npos;
         ++at_) {
      result.global = result.global || text_[at_] == 'g';
      result.print = result.print || text_[at_] == 'p';
      result.ignore_case = result.ignore_case || text_[at_] == 'i' || text_[at_] == 'I';
    }
    return true;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

std::string replacement_text(const std::string& replacement, const Match& match) {
  std::string result;
  for (std::size_t i = 0; i < replacement.size(); ++i) {
    const char c = replacement[i];
    if (c == '&') {
      result += match.groups[0].value_or("");
    } else if (c == '\\' && i + 1 < replacement.size()) {
      const char next = replacement[++i];
      if (std::isdigit(static_cast<unsigned char>(next)) != 0) {
        result += match.groups[static_cast<std::size_t>(next - '0')].value_or("");
      } else {
        result += next == 'n' ? '\n' : next == 't' ? '\t' : next;
      }
    } else {
      result += c;
    }
  }
  return result;
}

class Sed {
 public:
  Sed(std::vector<Instruction> instructions, bool extended, bool quiet)
      : instructions_{std::move(instructions)}, extended_{extended}, quiet_{quiet} {}

  std::string run(const std::string& content) {
    const std::vector<std::string_view> lines = split_lines(content);
    for (Instruction& instruction : instructions_)
      instruction.within = false;
    std::string output;
    for (std::size_t i = 0; i < lines.size() && !done_; ++i) {
      number_ = i + 1;
      last_ = i + 1 == lines.size();
      std::string line{lines[i]};
      const bool kept = apply(line, output);
      if (kept && !quiet_) output += line + "\n";
    }
    // A last line that has no end gets none (sed(1) of GNU and of BusyBox).
    const bool endless = last_ && !content.empty() && content.back() != '\n';
    if (endless && !output.empty()) output.pop_back();
    return output;
  }

 private:
  bool apply(std::string& line, std::string& output) {
    for (Instruction& instruction : instructions_) {
      if (selected(instruction, line) == instruction.negated) continue;
      switch (instruction.command) {
        case 'd':
          return false;
        case 'p':
          output += line + "\n";
          break;
        case '=':
          output += std::to_string(number_) + "\n";
          break;
        case 'q':
          done_ = true;
          return true;
        default:
          if (substitute(instruction, line) && instruction.print) output += line + "\n";
      }
    }
    return true;
  }

  bool matches(const Address& address, const std::string& line) const {
    switch (address.kind) {
      case Address::Kind::none:
        return true;
      case Address::Kind::line:
        return number_ == address.line;
      case Address::Kind::last:
        return last_;
      case Address::Kind::regex: {
        const Regex regex{*address.pattern, {extended_, false, false}};
        return regex.valid() && regex.search(line, 0).has_value();
      }
    }
    return false;
  }

  bool selected(Instruction& instruction, const std::string& line) const {
    if (instruction.to.kind == Address::Kind::none) return matches(instruction.from, line);
    if (instruction.within) {
      if (matches(instruction.to, line)) instruction.within = false;
      return true;
    }
    if (!matches(instruction.from, line)) return false;
    instruction.within =
        instruction.to.kind != Address::Kind::line || instruction.to.line > number_;
    return true;
  }

  bool substitute(const Instruction& instruction, std::string& line) const {
    const Regex regex{instruction.pattern, {extended_, instruction.ignore_case, false}};
    if (!regex.valid()) return false;
    std::string result;
    std::size_t at = 0;
    bool changed = false;
    while (at <= line.size()) {
      const std::optional<Match> match = regex.search(line, at);
      if (!match) break;
      changed = true;
      result +=
          line.substr(at, match->begin - at) + replacement_text(instruction.replacement, *match);
      at = match->end;
      if (match->end == match->begin) {
        if (at < line.size()) result += line[at];
        ++at;
      }
      if (!instruction.global) break;
    }
    if (at < line.size()) result += line.substr(at);
    if (changed) line = result;
    return changed;
  }

  std::vector<Instruction> instructions_;
  bool extended_;
  bool quiet_;
  bool done_ = false;
  bool last_ = false;
  std::size_t number_ = 0;
};

}  // namespace

int sed(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "nEris", .valued = "e"});
  if (!options) return 1;
  std::vector<std::string> operands = options->operands;
  std::string script;
  if (options->has("e")) {
    script = join(options->given.at("e"), "\n");
  } else if (!operands.empty()) {
    script = operands.front();
    operands.erase(operands.begin());
  }
  const std::optional<std::vector<Instruction>> instructions = Reader{script}.read();
  if (!instructions)
    return process.fail(1, "-e expression #1, char 0: unknown command or unterminated expression");
  const bool extended = options->has("E") || options->has("r");
  if (operands.empty()) operands.emplace_back("-");
  int status = 0;
  std::string all;
  for (const std::string& operand : operands) {
    const std::optional<std::string> content =
        operand == "-" ? process.input() : process.read_file(operand);
    if (!content) {
      status = 2;
      continue;
    }
    if (!options->has("i")) {
      all += *content;
    } else if (!process.write_file(
                   operand, Sed{*instructions, extended, options->has("n")}.run(*content))) {
      status = 4;
    }
  }
  if (!options->has("i")) process.out(Sed{*instructions, extended, options->has("n")}.run(all));
  return status;
}

}  // namespace fabric::lab::commands
