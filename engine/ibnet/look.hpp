// SPDX-License-Identifier: Apache-2.0
// The InfiniBand subnets that this machine is attached to, by rdma-core's libibnetdisc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::ibnet {

// Was this program built with libibnetdisc?
bool is_available();

struct Look {
  std::string from;                          // "mlx5_0/1"
  std::optional<ObservedTopology> topology;  // as ibnetdiscover tells it, and ports without link
  std::string why_not;                       // why it could not be seen
  std::vector<Guid> dark;                    // the port has no link
};

// One look for each subnet of this machine's InfiniBand ports, and one with a reason for each port
// that shows none: a virtual function may not ask, a port has no link. Blocks for some seconds on a
// large subnet. Answers that are lost leave ports with `peer_not_read`. Needs root. Fails with
// ErrorCode::not_found if there is no InfiniBand port or the library is not built in, saying which.
Result<std::vector<Look>> look();

}  // namespace fabric::ibnet
