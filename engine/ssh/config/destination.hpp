// SPDX-License-Identifier: Apache-2.0
// Destination: a Target with the settings of ssh_config: everything needed to reach one host.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/base/secret.hpp"
#include "engine/ssh/config/config.hpp"
#include "engine/ssh/config/target.hpp"

namespace fabric::ssh {

struct Destination {
  std::string name;      // for messages: the node, or "jump host bastion"
  std::string host;      // host to connect to
  std::string known_as;  // its name in known_hosts
  std::uint32_t port = 22;
  std::string user;
  std::vector<std::string> identity_files;
  // Use only `identity_files`: the agent is asked only if one of them can't be read without it.
  bool identities_only = false;
  std::string agent_socket;  // "" = no agent
  std::function<Result<Secret>()> password;
  std::vector<std::string> known_hosts_files;
  std::string pinned_host_key;
  bool pin_is_operators = false;
  bool legacy_algorithms = false;
  std::vector<Destination> jumps;  // in the order of passing, nearest first
  std::vector<std::string> notes;  // settings of the config that fabric does not follow
};

// The settings of the local machine.
struct LocalEnvironment {
  std::string home;
  std::string user;
  std::string agent_socket;  // SSH_AUTH_SOCK
};
LocalEnvironment local_environment();

// Reads the ssh_config that the options name. Fails as Config::read.
Result<Config> read_config(const Options& options);

class DestinationResolver {
 public:
  DestinationResolver(const Config& config, const Options& options, LocalEnvironment local)
      : config_{config}, options_{options}, local_{std::move(local)} {}

  // Fails with ErrorCode::unreachable if the config asks for a way that fabric can't go.
  Result<Destination> resolve(const std::string& name, const Target& target) const;

 private:
  Result<Destination> resolve_host(
      const std::string& name, const Target& target, HostConfig& host) const;
  Result<std::vector<Destination>> resolve_jumps(
      std::vector<std::string> hops, const Target& target) const;
  Result<void> add_files(
      const Target& target,
      const HostConfig& host,
      const Tokens& tokens,
      Destination& destination) const;

  const Config& config_;
  const Options& options_;
  LocalEnvironment local_;
};

// "jump@192.0.2.1:22 > root@pve1:22"
std::string way_to(const Destination& destination);

}  // namespace fabric::ssh
