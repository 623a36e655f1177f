// SPDX-License-Identifier: Apache-2.0
// find, without expressions: ROOT... [-name PATTERN] [-type T] [-maxdepth N] [-print]
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab::commands {
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
