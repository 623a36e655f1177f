// SPDX-License-Identifier: Apache-2.0
// WireView: one look at an InfiniBand subnet from one place of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/subnet/observed_topology.hpp"

namespace fabric::verify {

struct WireView {
  std::string
      from;  // the machine that looked: "c101 (mlx5_0/1)", "this machine (mlx5_0/1)", "subnet.txt"
  // The subnet as it was seen; nullopt if it was not, for the reason in `why_not`.
  std::optional<ObservedTopology> topology;
  std::string why_not;
  // GUIDs of ports whose own node says that they have no link: such a port sees no subnet at all.
  std::vector<Guid> dark;
};

// Everything that is known of the cables of InfiniBand networks.
struct WireEvidence {
  std::vector<WireView> views;
  // The GUIDs of member ports whose node was asked: no other source names a port better.
  std::map<PortRef, Guid> port_guids;
};

}  // namespace fabric::verify
