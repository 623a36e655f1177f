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
