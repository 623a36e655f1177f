// SPDX-License-Identifier: Apache-2.0
// Path replay: which copies of a ring's hosts reach each other while nodes are away, compared with
// the plan. The two share no code, so a wrong prediction shows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/model/topology/path_losses.hpp"
#include "engine/rehearse/world.hpp"

namespace fabric::rehearse {

struct PathDifference {
  std::uint32_t wave = 1;
  std::string network;
  reach::AddressPair pair;
  bool predicted = false;  // to be kept
};

struct PathReplay {
  std::size_t waves = 0, pings = 0;
  // How many waves were left out, because a large ring has too many pairs of addresses.
  std::size_t waves_left_out = 0;
  std::vector<PathDifference> different;  // in order of wave, network and pair
};

// For each wave that takes nodes away: switches them off in copies made before the plan, and pings
// all pairs of addresses of the other hosts. `now`: what forwards before the plan, as observed;
// both sides use the document's cables. Without pings from a platform without ping tests, and where
// the prediction is unknown.
PathReplay replay_paths(
    const Scene& scene, const plans::Plan& plan, const std::vector<reach::NetworkNow>& now);

}  // namespace fabric::rehearse
