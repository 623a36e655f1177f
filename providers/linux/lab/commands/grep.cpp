// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/commands/regex.hpp"

namespace fabric::lab::commands {
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
    return std::any_of(regexes_.begin(), regexes_.end(), [&](const Regex& regex) {
      return regex.search(line, 0).has_value();
    });
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
