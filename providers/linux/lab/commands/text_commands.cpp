// SPDX-License-Identifier: Apache-2.0
// cat grep head tail tr wc
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/commands/regex.hpp"

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
  const std::optional<Options> options = parse_options(process, {.flags = "", .valued = ""});
  if (!options) return 1;
  int status = 0;
  const std::string text = concatenate(process, options->operands, status);
  if (process.write(1, text) == FileError::none) return status;
  return process.fail(1, "write error: No space left on device");
}

int head(Process& process) {
  expand_number_option(process);
  const std::optional<Options> options = parse_options(process, {.flags = "", .valued = "n"});
  if (!options) return 1;
  int status = 0;
  std::vector<std::string> lines = to_lines(concatenate(process, options->operands, status));
  const auto count = parse_unsigned(options->value("n", "10"), 10);
  if (!count) return process.fail(1, "invalid number of lines");
  if (*count < lines.size()) lines.resize(static_cast<std::size_t>(*count));
  process.out(lines_to_text(lines));
  return status;
}

int tail(Process& process) {
  expand_number_option(process);
  const std::optional<Options> options = parse_options(process, {.flags = "", .valued = "nc"});
  if (!options) return 1;
  const bool bytes = options->has("c");
  const auto count = parse_unsigned(options->value(bytes ? "c" : "n", "10"), 10);
  if (!count) return process.fail(1, "only how much of the end is played here");
  int status = 0;
  const std::string text = concatenate(process, options->operands, status);
  if (bytes) {
    process.out(text.substr(text.size() - std::min<std::size_t>(*count, text.size())));
    return status;
  }
  const std::vector<std::string> lines = to_lines(text);
  const std::size_t most = std::min<std::size_t>(*count, lines.size());
  process.out(lines_to_text({lines.end() - static_cast<std::ptrdiff_t>(most), lines.end()}));
  return status;
}

namespace {

// The characters of an operand of tr, where "\n" and "\0" are one each.
std::string characters(std::string_view text) {
  std::string set;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size();
    const char c = escaped ? text[++i] : text[i];
    set += !escaped ? c : c == 'n' ? '\n' : c == 't' ? '\t' : c == '0' ? '\0' : c;
  }
  return set;
}

}  // namespace

int tr(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "d", .valued = ""});
  if (!options) return 1;
  const std::vector<std::string>& operands = options->operands;
  if (operands.size() != (options->has("d") ? 1U : 2U)) return process.fail(1, "missing operand");
  for (const std::string& operand : operands) {
    if (operand.empty() || operand.find_first_of("-[") != std::string::npos)
      return process.fail(1, "only characters are played here, no ranges or classes");
  }
  const std::string from = characters(operands.front());
  const std::string to = characters(operands.back());
  std::string result;
  for (const char c : process.input()) {
    const std::size_t at = from.find(c);
    if (at == std::string::npos) {
      result += c;
    } else if (!options->has("d")) {
      result += to[std::min(at, to.size() - 1)];
    }
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

namespace {

class Grep {
 public:
  Grep(Process& process, const Options& options) : process_{process}, options_{options} {}

  int run() {
    std::vector<std::string> operands = options_.operands;
    if (!read_patterns(operands)) return 2;
    names_ = options_.has("H") || ((operands.size() > 1 || recursive()) && !options_.has("h"));
    if (operands.empty()) {
      if (recursive()) {
        operands.emplace_back(".");
      } else {
        search(process_.input(), "(standard input)");
      }
    }
    for (const std::string& operand : operands) {
      search_path(operand);
      if (found_ && options_.has("q")) return 0;
    }
    if (failed_) return 2;
    return found_ ? 0 : 1;
  }

 private:
  bool recursive() const { return options_.has("r") || options_.has("R"); }

  bool read_patterns(std::vector<std::string>& operands) {
    std::vector<std::string> patterns;
    const auto given = options_.given.find("e");
    if (given != options_.given.end()) patterns = given->second;
    if (patterns.empty() && !operands.empty()) {
      patterns.push_back(operands.front());
      operands.erase(operands.begin());
    }
    if (patterns.empty()) {
      process_.err("Usage: grep [OPTION]... PATTERNS [FILE]...\n");
      return false;
    }
    for (const std::string& pattern : patterns) {
      for (const std::string_view line : split(pattern, '\n')) {
        regexes_.emplace_back(
            std::string{line},
            RegexOptions{options_.has("E"), options_.has("i"), options_.has("F")});
        if (!regexes_.back().valid()) {
          process_.fail(2, "Invalid regular expression");
          return false;
        }
      }
    }
    return true;
  }

  void search_path(const std::string& operand) {
    std::vector<std::string> left{operand};
    while (!left.empty()) {
      const std::string path = left.back();
      left.pop_back();
      const Inode* file = operand == "-" ? nullptr : process_.files().find(process_.path(path));
      if (file != nullptr && file->kind == FileKind::directory) {
        if (!recursive()) {
          process_.fail(2, path + ": Is a directory");
          continue;
        }
        const std::vector<std::string> names = process_.files().list(process_.path(path));
        for (auto name = names.rbegin(); name != names.rend(); ++name) {
          const Inode* entry =
              process_.files().find(absolute_path(process_.path(path), *name), Follow::no);
          if (entry->kind != FileKind::symlink || options_.has("R"))
            left.push_back(path + "/" + *name);
        }
        continue;
      }
      search_file(path);
    }
  }

  void search_file(const std::string& path) {
    std::string content;
    const FileError error =
        path == "-" ? FileError::none
                    : process_.files().read(process_.path(path), process_.user, content);
    if (path == "-") content = process_.input();
    if (error == FileError::none) return search(content, path);
    failed_ = true;
    if (!options_.has("s")) process_.fail(2, fmt::format("{}: {}", path, describe(error)));
  }

  bool matches(const std::string& line) const {
    return std::ranges::any_of(
        regexes_, [&](const Regex& regex) { return regex.search(line, 0).has_value(); });
  }

  void search(const std::string& content, const std::string& name) {
    const std::string prefix = names_ ? name + ":" : "";
    std::int64_t count = 0;
    std::size_t number = 0;
    for (const std::string_view view : split_lines(content)) {
      const std::string line{view};
      ++number;
      if (matches(line) == options_.has("v")) continue;
      ++count;
      found_ = true;
      if (options_.has("q") || options_.has("l")) break;
      if (options_.has("c")) continue;
      process_.out(prefix + (options_.has("n") ? fmt::format("{}:", number) : "") + line + "\n");
    }
    if (options_.has("c")) process_.out(fmt::format("{}{}\n", prefix, count));
    if (options_.has("l") && count > 0) process_.out(name + "\n");
  }

  Process& process_;
  const Options& options_;
  std::vector<Regex> regexes_;
  bool names_ = false;
  bool found_ = false;
  bool failed_ = false;
};

}  // namespace

int grep(Process& process) {
  std::optional<Options> options = parse_options(
      process,
      {.flags = "HhlcqvrREFsni", .valued = "e", .long_flags = {"quiet"}, .long_valued = {}});
  if (!options) return 2;
  if (options->has("quiet")) options->given["q"].emplace_back();
  return Grep{process, *options}.run();
}

}  // namespace fabric::lab::commands
