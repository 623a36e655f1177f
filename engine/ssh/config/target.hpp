// SPDX-License-Identifier: Apache-2.0
// The address of a node, and the user of the login.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/node_name.hpp"
#include "engine/base/result.hpp"
#include "engine/base/secret.hpp"

namespace fabric::remote {
class SessionObserver;
}

namespace fabric::ssh {

class StopSignal;

struct Target {
  std::string host;        // name or address as written; ssh_config may map it
  std::uint32_t port = 0;  // 0 = by ssh_config, else 22
  std::string user;        // "" = by ssh_config, else the local user
  // Empty = by ssh_config, else the usual ones. Taken as given except for a leading "~/": no tokens
  // and no variables as in ssh_config.
  std::vector<std::string> identity_files;
  bool use_agent = true;
  // Asked once, when the node wants a password. The wait for it ends when `stop` is raised.
  std::function<Result<Secret>(StopSignal& stop)> password;
  std::vector<std::string> jumps;  // [user@]host[:port], nearest first
  bool sudo = false;               // become: sudo
  std::string pinned_host_key;     // "SHA256:..." or "ssh-ed25519 AAAA..."; "" = known_hosts
  bool pin_is_operators = false;   // else the document's, which allows no password
  bool legacy_algorithms = false;
};

// The time for which a session to a node is kept for further steps.
enum class SessionLife : std::uint8_t {
  whole_run,
  one_step  // until no step waits for it: many nodes that are asked once, of which each would hold
            // a descriptor and 100 KB
};

struct Options {
  std::vector<std::string>
      known_hosts_files;                   // empty = ~/.ssh/known_hosts, /etc/ssh/ssh_known_hosts
  std::optional<std::string> config_file;  // nullopt = ~/.ssh/config; "" = none
  std::size_t parallelism = 64;
  SessionLife session_life = SessionLife::whole_run;
  Duration connect_timeout{5'000};     // TCP
  Duration handshake_timeout{10'000};  // banner, key exchange, host key
  Duration authentication_timeout{10'000};
  // The observer of every session; must outlive the runner. Null = none.
  remote::SessionObserver* sessions = nullptr;
};

}  // namespace fabric::ssh
