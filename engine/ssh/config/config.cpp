// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/config/config.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <glob.h>
#include <pwd.h>
#include <unistd.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/files/read.hpp"
#include "engine/ssh/config/pattern.hpp"

namespace fabric::ssh {

namespace {

constexpr int kIncludeDepth = 16;  // the limit of OpenSSH
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

// True if a Config ever needs the keyword: the others need no memory.
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

// Keywords that decide how a node is reached or proves itself and that fabric does not follow. All
// others that are not read (forwardings, terminal, multiplexing) make no difference to a run.
constexpr std::array kUnsupported{
    std::string_view{"addressfamily"},
    std::string_view{"bindaddress"},
    std::string_view{"bindinterface"},
    std::string_view{"canonicalizehostname"},
    std::string_view{"certificatefile"},
    std::string_view{"ciphers"},
    std::string_view{"gssapiauthentication"},
    std::string_view{"hostkeyalgorithms"},
    std::string_view{"kexalgorithms"},
    std::string_view{"knownhostscommand"},
    std::string_view{"macs"},
    std::string_view{"pkcs11provider"},
    std::string_view{"pubkeyacceptedalgorithms"},
    std::string_view{"revokedhostkeys"},
    std::string_view{"securitykeyprovider"},
    std::string_view{"verifyhostkeydns"}};

bool is_yes(const std::string& word) {
  const std::string lower = to_lower(word);
  return lower == "yes" || lower == "true";
}

void set_once(std::optional<std::string>& value, const std::vector<std::string>& arguments) {
  if (!value) value = arguments.front();
}

void set_once(std::vector<std::string>& value, const std::vector<std::string>& arguments) {
  if (value.empty()) value = arguments;
}

// ProxyJump and ProxyCommand exclude each other: the first of them wins.
void set_proxy(
    const std::string& keyword, const std::vector<std::string>& arguments, HostConfig& host) {
  if (host.proxy_jump || host.proxy_command) return;
  if (keyword == "proxyjump") {
    host.proxy_jump = join(arguments, " ");
  } else {
    host.proxy_command = join(arguments, " ");
  }
}

void note(
    const std::string& keyword,
    const std::vector<std::string>& arguments,
    const std::string& place,
    HostConfig& host) {
  if (keyword == "match") {
    host.notes.push_back(fmt::format("{}: Match {} is not evaluated", place, arguments.front()));
  } else if (keyword == "stricthostkeychecking") {
    const std::string value = to_lower(arguments.front());
    if (value != "yes" && value != "ask") {
      host.notes.push_back(fmt::format(
          "{}: StrictHostKeyChecking {} is not followed: host keys are always checked",
          place,
          value));
    }
  } else if (is_unsupported(keyword)) {
    host.notes.push_back(fmt::format("{}: {} is not supported", place, keyword));
  }
}

// Sets a setting with one value; false if `keyword` is none of those.
bool set_value(
    const std::string& keyword, const std::vector<std::string>& arguments, HostConfig& host) {
  if (keyword == "user") {
    set_once(host.user, arguments);
  } else if (keyword == "hostkeyalias") {
    set_once(host.host_key_alias, arguments);
  } else if (keyword == "identityagent") {
    set_once(host.identity_agent, arguments);
  } else if (keyword == "identitiesonly") {
    if (!host.identities_only) host.identities_only = is_yes(arguments.front());
  } else if (keyword == "identityfile") {
    host.identity_files.push_back(arguments.front());  // these add up
  } else if (keyword == "userknownhostsfile") {
    set_once(host.user_known_hosts_files, arguments);
  } else if (keyword == "globalknownhostsfile") {
    set_once(host.global_known_hosts_files, arguments);
  } else if (keyword == "proxyjump" || keyword == "proxycommand") {
    set_proxy(keyword, arguments, host);
  } else {
    return false;
  }
  return true;
}

// The value of HostName: only %h and %% stand for something there.
std::string real_name(std::string_view value, std::string_view host) {
  std::string name;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string_view next = value.substr(i, 2);
    if (next == "%h" || next == "%%") {
      name += next == "%h" ? host : std::string_view{"%"};
      ++i;
    } else {
      name += value[i];
    }
  }
  return name;
}

}  // namespace

// Files of ssh_config syntax, with Include, into the entries of a Config.
class ConfigReader {
 public:
  ConfigReader(Config& config, std::string home) : config_{config}, home_{std::move(home)} {}

  // `outer`: the conditions under which this file was included.
  Result<void> read_file(const std::string& path, std::vector<std::size_t> outer, int depth);

 private:
  struct File {
    std::vector<std::size_t> outer;
    std::vector<std::size_t> current;  // outer and the block we are in
    int depth = 0;
  };

  Result<void> read_line(std::string_view line, const std::string& place, File& file);
  Result<void> include(
      const std::vector<std::string>& arguments, const std::string& place, const File& file);
  Result<void> begin_host(std::vector<std::string> patterns, const std::string& place, File& file);
  Result<void> begin_match(
      const std::vector<std::string>& words, const std::string& place, File& file);
  void begin(Config::Condition condition, File& file);

  Config& config_;
  std::string home_;
  // The limits of all files together, however they include each other.
  std::size_t files_ = 0;
  std::size_t bytes_left_ = limits::kSshConfigBytes;
};

// A config may include files that include files; kIncludeDepth bounds it.
// NOLINTNEXTLINE(misc-no-recursion)
Result<void> ConfigReader::read_file(
    const std::string& path, std::vector<std::size_t> outer, int depth) {
  if (++files_ > limits::kSshConfigFiles)
    return syntax(path, fmt::format("more than {} files by Include", limits::kSshConfigFiles));
  const Result<std::string> text = files::read_regular(path, bytes_left_);
  if (!text && text.error().code == ErrorCode::not_found) return {};
  // A file that decides where a node is and how it proves itself is never left out silently.
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

bool is_unsupported(std::string_view keyword) {
  return std::find(kUnsupported.begin(), kUnsupported.end(), keyword) != kUnsupported.end();
}

Result<Config> Config::read(const std::string& path, const std::string& home) {
  Config config;
  FABRIC_TRY(ConfigReader(config, home).read_file(path, {}, 0));
  for (const Entry& entry : config.entries_) {
    if (entry.keyword != "port") continue;
    const auto port = parse_integer(entry.arguments.front());
    if (!port || *port < 1 || *port > 65535) {
      return Error{
          ErrorCode::invalid,
          fmt::format("{}: '{}' is no port number", entry.place, entry.arguments.front())};
    }
  }
  return config;
}

bool Config::holds(
    const Condition& condition, std::string_view host, const HostConfig& so_far) const {
  if (condition.kind == Condition::Kind::never) return false;
  if (condition.kind == Condition::Kind::host) return matches_list(host, condition.patterns);
  return std::ranges::all_of(condition.criteria, [&](const auto& criterion) {
    bool matches = true;
    if (criterion.name == "host") {
      matches = matches_list(
          so_far.host_name ? *so_far.host_name : std::string{host}, criterion.patterns);
    } else if (criterion.name == "originalhost") {
      matches = matches_list(host, criterion.patterns);
    }
    return matches != criterion.negated;
  });
}

HostConfig Config::for_host(std::string_view host, std::string_view user) const {
  HostConfig result;
  if (!user.empty()) result.user = user;
  // A block's condition is judged once, where the block begins.
  std::vector<std::optional<bool>> judged(conditions_.size());
  for (const Entry& entry : entries_) {
    const bool applies = std::ranges::all_of(entry.conditions, [&](std::size_t index) {
      if (!judged[index]) judged[index] = holds(conditions_[index], host, result);
      return *judged[index];
    });
    if (!applies) continue;
    if (entry.keyword == "hostname") {
      if (!result.host_name) result.host_name = real_name(entry.arguments.front(), host);
    } else if (entry.keyword == "port") {
      if (!result.port) {
        result.port = static_cast<std::uint32_t>(*parse_integer(entry.arguments.front()));
      }
    } else if (!set_value(entry.keyword, entry.arguments, result)) {
      note(entry.keyword, entry.arguments, entry.place, result);
    }
  }
  return result;
}

std::string home_directory() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer{};
  getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? found->pw_dir : "/";
}

std::string local_user() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer{};
  getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found);
  if (found != nullptr) return found->pw_name;
  const char* user = std::getenv("USER");
  return user != nullptr ? user : "root";
}

std::string expand_home(std::string_view path, std::string_view home) {
  if (path == "~") return std::string{home};
  if (path.substr(0, 2) == "~/") return std::string{home} + std::string{path.substr(1)};
  return std::string{path};
}

}  // namespace fabric::ssh
