// SPDX-License-Identifier: Apache-2.0
// Config: the part of ~/.ssh/config that decides which host fabric talks to. Our own reader,
// because libssh ignores keywords silently (IdentitiesOnly, HostKeyAlias, ...) and forks for `Match
// exec`. Unsupported settings are kept as notes, to be shown when the node can't be reached.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"

namespace fabric::ssh {

// The settings of one host; tokens (%h) are not yet expanded, except in host_name.
struct HostConfig {
  std::optional<std::string> host_name;
  std::optional<std::uint32_t> port;
  std::optional<std::string> user;
  std::optional<std::string> proxy_jump;     // "none" for none
  std::optional<std::string> proxy_command;  // not supported: a node that needs it is unreachable
  std::optional<std::string> host_key_alias;
  std::optional<std::string> identity_agent;  // a socket, "SSH_AUTH_SOCK" or "none"
  std::optional<bool> identities_only;
  std::vector<std::string> identity_files;
  std::vector<std::string> user_known_hosts_files;
  std::vector<std::string> global_known_hosts_files;
  std::vector<std::string> notes;  // "~/.ssh/config:12: CertificateFile is not supported"
};

class Config {
 public:
  // A config without settings.
  Config() = default;

  // Reads a config; a file that does not exist sets nothing. Fails with ErrorCode::invalid, with
  // the place, on a line that ssh would not take either, and on Include nested deeper than 16.
  static Result<Config> read(const std::string& path, const std::string& home);

  // The settings of a host: the first value wins. `user`: the user of the login that the caller
  // asks for, "" if any.
  HostConfig for_host(std::string_view host, std::string_view user) const;

 private:
  friend class ConfigReader;

  struct Condition {
    enum class Kind : std::uint8_t { host, match, never } kind = Kind::host;
    std::vector<std::string> patterns;  // host: patterns for the name as given
    // match: pairs of criterion and list of patterns; "all" has no patterns
    struct Criterion {
      std::string name;
      std::vector<std::string> patterns;
      bool negated = false;
    };
    std::vector<Criterion> criteria;
  };
  struct Entry {
    std::vector<std::size_t> conditions;  // all must hold
    std::string keyword;                  // lower case
    std::vector<std::string> arguments;
    std::string place;  // "file:line"
  };

  bool holds(const Condition& condition, std::string_view host, const HostConfig& so_far) const;

  std::vector<Condition> conditions_;
  std::vector<Entry> entries_;
};

// True for a keyword (lower case) that decides how a node is reached or proves itself and that
// fabric does not follow.
bool is_unsupported(std::string_view keyword);

// The folder "~": $HOME, else from the user database.
std::string home_directory();
std::string local_user();

// `~/x` and `~` with `home`; other paths as they are.
std::string expand_home(std::string_view path, std::string_view home);

// The values of tokens (%h) in values of the config.
struct Tokens {
  std::string home;         // %d
  std::string host;         // %h: the real host name
  std::string original;     // %n: as given
  std::uint32_t port = 22;  // %p
  std::string user;         // %r
  std::string local_user;   // %u
};
// Fails with ErrorCode::invalid on a token that is not one of those or a variable that is not set.
Result<std::string> expand_tokens(std::string_view text, const Tokens& tokens);

}  // namespace fabric::ssh
