// SPDX-License-Identifier: Apache-2.0
// The judgement over a host key: accepted by our index or the pinned key, or an error that says how
// to accept it. Nothing is ever accepted silently.
#pragma once

#include <string>

#include "engine/base/result.hpp"
#include "engine/ssh/config/destination.hpp"
#include "engine/ssh/config/known_hosts.hpp"
#include "engine/ssh/handles.hpp"

namespace fabric::ssh {

struct PresentedKey {
  std::string type;         // "ssh-ed25519"
  std::string key;          // base64
  std::string fingerprint;  // "SHA256:..."
};

// A part that the library can't tell is "": judge_host_key refuses such a key.
PresentedKey present(ssh_key_struct* key);

// Fails with ErrorCode::unreachable.
Result<void> judge_host_key(
    const PresentedKey& presented, const HostKeys& known, const Destination& destination);

// The algorithms to ask for, those of the known keys first: a host with several keys then shows one
// that we know.
std::string host_key_algorithms(const HostKeys& known, const Destination& destination);

}  // namespace fabric::ssh
