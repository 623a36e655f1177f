// SPDX-License-Identifier: Apache-2.0
// The keys of a lab, made new at each start: one host key per node and one client key.
#pragma once

#include <string>

#include "engine/base/result.hpp"
#include "engine/labserver/handles.hpp"

namespace fabric::labserver {

Result<KeyHandle> make_key();
// "ssh-ed25519 AAAA..."
std::string public_line(ssh_key_struct* key);
// Writes the private key to `path` (mode 0600, no passphrase) and the public key beside it.
Result<void> write_key(ssh_key_struct* key, const std::string& path);
// Sessions accepted through it show `key` as host key.
BindHandle bind_with_key(KeyHandle key);

}  // namespace fabric::labserver
