// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/config/config_reader.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <glob.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/files/read.hpp"

namespace fabric::ssh {
namespace {

constexpr int kIncludeDepth = 16;  // as in OpenSSH
constexpr std::string_view kBlanks = " \t\r\f";

Error syntax(const std::string& place, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("{}: {}", place, what)};
}

// "Keyword value", "Keyword=value", "Keyword = value"; words may be quoted. A '#' that begins a
// word begins a comment.
Result<std::vector<std::string>> words_of(std::string_view line, const std::string& place) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(kBlanks, at);
    if (words.size() == 1 && at != std::string_view::npos && line[at] == '=') {
      at = line.find_first_not_of(kBlanks, at + 1);
    }
    if (at == std::string_view::npos || line[at] == '#') return words;
    if (line[at] == '"') {
      const std::size_t end = line.find('"', at + 1);
      if (end == std::string_view::npos) return syntax(place, "a quote is not closed");
      words.emplace_back(line.substr(at + 1, end - at - 1));
      at = end + 1;
      continue;
    }
    const std::string ends = std::string{kBlanks} + (words.empty() ? "=" : "");
    const std::size_t end = std::min(line.find_first_of(ends, at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
}

// Whether a Config ever asks for it: the others need no memory.
bool matters(std::string_view keyword) {
  static constexpr std::array kRead{
      std::string_view{"globalknownhostsfile"},
      std::string_view{"hostkeyalias"},
      std::string_view{"hostname"},
      std::string_view{"identitiesonly"},
      std::string_view{"identityagent"},
      std::string_view{"identityfile"},
      std::string_view{"port"},
      std::string_view{"proxycommand"},
      std::string_view{"proxyjump"},
      std::string_view{"stricthostkeychecking"},
      std::string_view{"user"},
      std::string_view{"userknownhostsfile"}};
  return std::find(kRead.begin(), kRead.end(), keyword) != kRead.end() || is_unsupported(keyword);
}

std::vector<std::string> paths_matching(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i)
      paths.emplace_back(found.gl_pathv[i]);
  }
  globfree(&found);
  return paths;
}

}  // namespace

// A config may include files that include files; kIncludeDepth bounds it.
// NOLINTNEXTLINE(misc-no-recursion)
Result<void> ConfigReader::read_file(
    const std::string& path, std::vector<std::size_t> outer, int depth) {
  if (++files_ > limits::kSshConfigFiles)
    return syntax(path, fmt::format("more than {} files by Include", limits::kSshConfigFiles));
  const Result<std::string> text = files::read_regular(path, bytes_left_);
  if (!text && text.error().code == ErrorCode::not_found) return {};
  // What decides where a node is and how it proves itself is never left out silently.
  if (!text) return text.error();
  bytes_left_ -= text->size();
  File file;
  file.current = outer;
  file.outer = std::move(outer);
  file.depth = depth;
  int number = 0;
  for (const std::string_view line : split_lines(*text)) {
    FABRIC_TRY(read_line(line, fmt::format("{}:{}", path, ++number), file));
  }
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion)
Result<void> ConfigReader::read_line(std::string_view line, const std::string& place, File& file) {
  std::vector<std::string> words = FABRIC_TRY(words_of(line, place));
  if (words.empty()) return {};
  const std::string keyword = to_lower(words.front());
  words.erase(words.begin());
  if (words.empty()) return syntax(place, fmt::format("{} has no value", keyword));
  if (keyword == "host") return begin_host(std::move(words), place, file);
  if (keyword == "match") return begin_match(words, place, file);
  if (keyword == "include") return include(words, place, file);
  if (matters(keyword))
    config_.entries_.push_back({file.current, keyword, std::move(words), place});
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion)
Result<void> ConfigReader::include(
    const std::vector<std::string>& arguments, const std::string& place, const File& file) {
  if (file.depth >= kIncludeDepth) return syntax(place, "too many nested Include");
  for (const std::string& argument : arguments) {
    if (argument.empty()) return syntax(place, "Include names no file");
    std::string pattern = expand_home(argument, home_);
    if (!pattern.starts_with('/')) pattern = home_ + "/.ssh/" + pattern;
    for (const std::string& path : paths_matching(pattern)) {
      FABRIC_TRY(read_file(path, file.current, file.depth + 1));
    }
  }
  return {};
}

void ConfigReader::begin(Config::Condition condition, File& file) {
  file.current = file.outer;
  file.current.push_back(config_.conditions_.size());
  config_.conditions_.push_back(std::move(condition));
}

Result<void> ConfigReader::begin_host(
    std::vector<std::string> patterns, const std::string& place, File& file) {
  if (patterns.empty()) return syntax(place, "Host has no pattern");
  Config::Condition condition;
  condition.patterns = std::move(patterns);
  begin(std::move(condition), file);
  return {};
}

Result<void> ConfigReader::begin_match(
    const std::vector<std::string>& words, const std::string& place, File& file) {
  Config::Condition condition;
  condition.kind = Config::Condition::Kind::match;
  std::string unsupported;
  for (std::size_t i = 0; i < words.size(); ++i) {
    Config::Condition::Criterion criterion;
    criterion.negated = words[i].starts_with('!');
    criterion.name = to_lower(words[i].substr(criterion.negated ? 1 : 0));
    if (criterion.name.empty()) return syntax(place, "Match has an empty criterion");
    const bool bare =
        criterion.name == "all" || criterion.name == "final" || criterion.name == "canonical";
    if (!bare) {
      if (++i == words.size())
        return syntax(place, fmt::format("Match {} has no value", criterion.name));
      for (const std::string_view pattern : split(words[i], ','))
        criterion.patterns.emplace_back(pattern);
    }
    const bool supported =
        criterion.name == "all" || criterion.name == "host" || criterion.name == "originalhost";
    if (!supported) unsupported = criterion.name;
    condition.criteria.push_back(std::move(criterion));
  }
  if (!unsupported.empty()) condition.kind = Config::Condition::Kind::never;
  if (!unsupported.empty()) {
    config_.entries_.push_back({file.outer, "match", {unsupported}, place});  // becomes a note
  }
  begin(std::move(condition), file);
  return {};
}

}  // namespace fabric::ssh
