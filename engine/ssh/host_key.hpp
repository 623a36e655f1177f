// SPDX-License-Identifier: Apache-2.0
// Judges a host key: accepted by known_hosts or the pinned key, or an error that says how to accept
// it. Nothing is ever accepted silently.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/node_name.hpp"
#include "engine/base/result.hpp"
#include "engine/ssh/config/config.hpp"
#include "engine/ssh/config/destination.hpp"
#include "engine/ssh/config/known_hosts.hpp"
#include "engine/ssh/config/target.hpp"
#include "engine/ssh/environment.hpp"

namespace fabric::ssh {

inline constexpr std::string_view kSeenAtConsole =
    "if its console shows this fingerprint (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub)";

struct PresentedKey {
  std::string type;         // "ssh-ed25519"
  std::string key;          // base64
  std::string fingerprint;  // "SHA256:..."
};

// A part that the library can't read is "": judge_host_key refuses such a key.
PresentedKey present(ssh_key_struct* key);

// `pin`: "SHA256:..." or "ssh-ed25519 AAAA...".
bool is_pinned(const PresentedKey& presented, std::string_view pin);

// True if the operator knows the key, by known_hosts or by a pin of their own. REQUIRES:
// judge_host_key() has accepted the key. A key that the document alone pins gets no password,
// because the author of the document may have made it.
bool operator_vouches(
    const PresentedKey& presented, const HostKeys& known, const Destination& destination);

// Fails with ErrorCode::unreachable.
Result<void> judge_host_key(
    const PresentedKey& presented, const HostKeys& known, const Destination& destination);

// The algorithms to ask for, those of the known keys first: a host with several keys then shows a
// known one.
std::string host_key_algorithms(const HostKeys& known, const Destination& destination);

// The address of a node and the keys that would be accepted, before any connection.
struct ExpectedHost {
  std::string address;                    // "192.0.2.11 port 22"
  std::vector<std::string> fingerprints;  // of acceptable keys; empty: none is
  bool vouched = false;                   // by the operator, for each of them: allows a password
  std::string known_hosts_line;           // for the pinned key; "" = unknown
};

// Reads the operator's ssh_config and known_hosts once.
class ExpectedHosts {
 public:
  explicit ExpectedHosts(const Options& options);
  // Fails with ErrorCode::unreachable if a connection would.
  Result<ExpectedHost> find(const NodeName& node, const Target& target);

 private:
  const Options options_;
  Result<Config> config_;
  KnownHostsStore known_hosts_;
};

}  // namespace fabric::ssh
