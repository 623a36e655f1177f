// SPDX-License-Identifier: Apache-2.0
// The addresses of a lab: one of 127.0.0.0/8 for each node, all on one port.
#pragma once

#include <string>
#include <vector>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"

namespace fabric::labserver {

struct Listener {
  std::string address;  // "127.93.4.1"
  FileDescriptor socket;
};

struct Listeners {
  std::uint32_t port = 0;
  std::vector<Listener> sockets;  // in the order of the nodes
};

// The k-th node gets the k-th address of consecutive 127.x.y.0/24 (1..254 of each). The first of
// them is derived from `directory`, so that a lab keeps its addresses; if anything else listens
// there on `port`, the next free block is taken. `port` 0 = a free one.
// Fails with ErrorCode::invalid if no block is free.
Result<Listeners> listen_for(std::size_t nodes, std::uint32_t port, const std::string& directory);

}  // namespace fabric::labserver
