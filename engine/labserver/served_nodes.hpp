// SPDX-License-Identifier: Apache-2.0
// The nodes of a lab as SSH servers: each has an address and a host key.
#pragma once

#include <string>
#include <vector>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/node_name.hpp"
#include "engine/base/result.hpp"
#include "engine/labserver/directory.hpp"
#include "engine/labserver/handles.hpp"
#include "engine/labserver/lab_service.hpp"

namespace fabric::labserver {

// The keys of a lab, made new at each start: one host key per node and one client key.
Result<KeyHandle> make_key();
// "ssh-ed25519 AAAA..."
std::string public_line(ssh_key_struct* key);
// Writes the private key to `path` (mode 0600, no passphrase) and the public key beside it.
Result<void> write_key(ssh_key_struct* key, const std::string& path);
// Sessions accepted through it show `key` as host key.
BindHandle bind_with_key(KeyHandle key);

struct ServedNode {
  NodeName name;
  FileDescriptor listener;
  BindHandle host_key;
};

// Makes a key and a socket for each node, and adds addresses and keys to `info`, `known_hosts` and
// the file of known hosts. On the port of `info`; if that is 0, on a free one, which it gets.
Result<std::vector<ServedNode>> open_nodes(
    const std::vector<NodeName>& nodes,
    const LabDirectory& directory,
    LabInfo& info,
    std::string& known_hosts);

}  // namespace fabric::labserver
