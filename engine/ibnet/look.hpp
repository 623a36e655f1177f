// SPDX-License-Identifier: Apache-2.0
// The InfiniBand subnets that this machine is attached to, by rdma-core's libibnetdisc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::ibnet {

// True if this program was built with libibnetdisc.
bool is_available();

struct Look {
  std::string from;                          // "mlx5_0/1"
  std::optional<ObservedTopology> topology;  // as ibnetdiscover tells it, and ports without link
  std::string why_not;                       // why it could not be seen
  std::vector<Guid> dark;                    // the port has no link
};

// Looks at each subnet of this machine's InfiniBand ports; for each port that shows none the result
// has a reason: a virtual function may not ask, a port has no link. Blocks for some seconds on a
// large subnet. Lost answers leave ports with `peer_not_read`. Needs root. Fails with
// ErrorCode::not_found if there is no InfiniBand port or the library is not built in, saying which.
Result<std::vector<Look>> look();

}  // namespace fabric::ibnet
