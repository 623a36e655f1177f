// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/config/config.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "engine/base/text.hpp"
#include "engine/ssh/config/config_reader.hpp"
#include "engine/ssh/config/pattern.hpp"

namespace fabric::ssh {
namespace {

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

// A setting with one value; false if `keyword` is none of those.
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
  return std::all_of(
      condition.criteria.begin(), condition.criteria.end(), [&](const auto& criterion) {
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
    const bool applies =
        std::all_of(entry.conditions.begin(), entry.conditions.end(), [&](std::size_t index) {
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
