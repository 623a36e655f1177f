// SPDX-License-Identifier: Apache-2.0
// Commands that look at files: cmp find ls readlink sha256sum stat
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/digest.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab::commands {

namespace {

std::string mode_text(const Inode& file) {
  std::string text = file.kind == FileKind::directory     ? "d"
                     : file.kind == FileKind::symlink     ? "l"
                     : file.kind == FileKind::null_device ? "c"
                                                          : "-";
  constexpr std::string_view kLetters = "rwxrwxrwx";
  for (unsigned bit = 0; bit < 9; ++bit)
    text += (file.mode & (0400U >> bit)) != 0 ? kLetters[bit] : '-';
  return text;
}

}  // namespace

int readlink(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "f", .valued = ""});
  if (!options) return 1;
  if (options->operands.empty()) return process.fail(1, "missing operand");
  int status = 0;
  for (const std::string& operand : options->operands) {
    std::optional<std::string> target;
    if (options->has("f")) {
      target = process.files().real_path(process.path(operand));
    } else {
      const Inode* link = process.files().find(process.path(operand), Follow::no);
      if (link != nullptr && link->kind == FileKind::symlink) target = link->content;
    }
    if (target) {
      process.out(*target + "\n");
    } else {
      status = 1;
    }
  }
  return status;
}

namespace {

void list_one(
    Process& process, const Options& options, const std::string& name, const std::string& path) {
  const Inode* file = process.files().find(path, Follow::no);
  if (!options.has("l")) return process.out(name + "\n");
  const std::size_t size = file->kind == FileKind::directory ? 4096 : file->content.size();
  const std::string arrow = file->kind == FileKind::symlink ? " -> " + file->content : "";
  const std::string when = format_utc(file->modified).substr(0, 16);
  process.out(fmt::format(
      "{} 1 {} {} {:>6} {} {} {}{}\n",
      mode_text(*file),
      file->owner,
      file->group,
      size,
      when.substr(0, 10),
      when.substr(11),
      name,
      arrow));
}

}  // namespace

int ls(Process& process) {
  const std::optional<Options> options =
      parse_options(process, {.flags = "1dlaAhtrnRF", .valued = ""});
  if (!options) return 2;
  std::vector<std::string> operands = options->operands;
  if (operands.empty()) operands.emplace_back(".");
  std::vector<std::string> folders;
  int status = 0;
  for (const std::string& operand : operands) {
    const std::string path = process.path(operand);
    const Inode* file = process.files().find(path, Follow::no);
    const Inode* target = process.files().find(path);
    if (file == nullptr) {
      status =
          process.fail(2, fmt::format("cannot access '{}': No such file or directory", operand));
    } else if (
        target != nullptr && target->kind == FileKind::directory && !options->has("d") &&
        !(options->has("l") && file->kind == FileKind::symlink)) {
      folders.push_back(operand);
    } else {
      list_one(process, *options, operand, path);
    }
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (operands.size() > 1 || options->has("R"))
      process.out(fmt::format("{}{}:\n", i > 0 ? "\n" : "", folders[i]));
    std::vector<std::string> below;
    if (options->has("l")) process.out("total 0\n");
    for (const std::string& name : process.files().list(process.path(folders[i]))) {
      if (name.front() == '.' && !options->has("a") && !options->has("A")) continue;
      const std::string path = absolute_path(process.path(folders[i]), name);
      list_one(process, *options, name, path);
      if (options->has("R") && process.files().find(path, Follow::no)->kind == FileKind::directory)
        below.push_back(folders[i] + "/" + name);
    }
    folders.insert(
        folders.begin() + static_cast<std::ptrdiff_t>(i) + 1, below.begin(), below.end());
  }
  return status;
}

namespace {

std::string stat_field(char field, const std::string& name, const Inode& file) {
  if (field == 'a') return fmt::format("{:o}", file.mode);
  if (field == 'Y') return std::to_string(file.modified / 1000);
  return field == 'n' ? name : "?";
}

}  // namespace

int stat(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "L", .valued = "c"});
  if (!options) return 1;
  if (options->operands.empty()) return process.fail(1, "missing operand");
  if (!options->has("c")) return process.fail(1, "only -c is played here");
  const std::string format = options->value("c");
  int status = 0;
  for (const std::string& operand : options->operands) {
    const Inode* file =
        process.files().find(process.path(operand), options->has("L") ? Follow::yes : Follow::no);
    if (file == nullptr) {
      status =
          process.fail(1, fmt::format("cannot statx '{}': No such file or directory", operand));
      continue;
    }
    std::string line;
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format[i] == '%' && i + 1 < format.size()) {
        line += stat_field(format[++i], operand, *file);
      } else {
        line += format[i];
      }
    }
    process.out(line + "\n");
  }
  return status;
}

int sha256sum(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "bt", .valued = ""});
  if (!options) return 1;
  std::vector<std::string> operands = options->operands;
  if (operands.empty()) operands.emplace_back("-");
  int status = 0;
  for (const std::string& operand : operands) {
    const std::optional<std::string> content = process.read_file(operand);
    if (content) {
      process.out(fmt::format("{}  {}\n", sha256(std::string_view{*content}).substr(7), operand));
    } else {
      status = 1;
    }
  }
  return status;
}

int cmp(Process& process) {
  const std::optional<Options> options = parse_options(process, {.flags = "s", .valued = ""});
  if (!options || options->operands.size() != 2) return 2;
  const std::optional<std::string> a = process.read_file(options->operands[0]);
  const std::optional<std::string> b = process.read_file(options->operands[1]);
  if (!a || !b) return 2;
  if (*a == *b) return 0;
  const auto place = std::mismatch(
      a->begin(),
      a->begin() + static_cast<std::ptrdiff_t>(std::min(a->size(), b->size())),
      b->begin());
  if (!options->has("s")) {
    process.out(fmt::format(
        "{} {} differ: byte {}, line {}\n",
        options->operands[0],
        options->operands[1],
        place.first - a->begin() + 1,
        std::count(a->begin(), place.first, '\n') + 1));
  }
  return 1;
}

// find, without expressions: ROOT... [-name PATTERN] [-type T] [-maxdepth N] [-print]

namespace {

struct Search {
  std::vector<std::string> roots;
  std::string name = "*";
  char type = 0;  // 'd', 'f', 'l'; 0: any
  std::int64_t depth = 64;

  bool wants(const std::string& path, char kind) const {
    return (type == 0 || type == kind) && shell::matches(name, path.substr(path.rfind('/') + 1));
  }
};

// False if there is no such predicate.
bool apply_predicate(Search& search, const std::string& predicate, const std::string& value) {
  if (predicate == "-name") {
    search.name = value;
  } else if (predicate == "-type") {
    search.type = value.empty() ? 'f' : value[0];
  } else if (predicate == "-maxdepth") {
    search.depth = parse_integer(value).value_or(0);
  } else {
    return false;
  }
  return true;
}

// nullopt after having complained.
std::optional<Search> read_search(Process& process) {
  const std::vector<std::string>& words = process.arguments;
  Search search;
  std::size_t at = 1;
  while (at < words.size() && words[at][0] != '-')
    search.roots.push_back(words[at++]);
  if (search.roots.empty()) search.roots.emplace_back(".");
  for (; at < words.size(); ++at) {
    if (words[at] == "-print") continue;
    if (!apply_predicate(search, words[at], at + 1 < words.size() ? words[at + 1] : "")) {
      process.fail(1, fmt::format("unknown predicate `{}'", words[at]));
      return std::nullopt;
    }
    ++at;
  }
  return search;
}

char kind_letter(const Inode& file) {
  return file.kind == FileKind::directory ? 'd' : file.kind == FileKind::symlink ? 'l' : 'f';
}

}  // namespace

int find_files(Process& process) {
  const std::optional<Search> search = read_search(process);
  if (!search) return 1;
  int status = 0;
  // A stack: the next path to print is on top.
  std::vector<std::pair<std::string, std::int64_t>> left;
  for (auto root = search->roots.rbegin(); root != search->roots.rend(); ++root)
    left.emplace_back(*root, 0);
  while (!left.empty()) {
    const auto [path, level] = left.back();
    left.pop_back();
    const Inode* file = process.files().find(process.path(path), Follow::no);
    if (file == nullptr) {
      status = process.fail(1, fmt::format("'{}': No such file or directory", path));
      continue;
    }
    const char kind = kind_letter(*file);
    if (search->wants(path, kind)) process.out(path + "\n");
    if (kind != 'd' || level >= search->depth) continue;
    const std::vector<std::string> names = process.files().list(process.path(path));
    for (auto entry = names.rbegin(); entry != names.rend(); ++entry)
      left.emplace_back(path + "/" + *entry, level + 1);
  }
  return status;
}

}  // namespace fabric::lab::commands
