// SPDX-License-Identifier: Apache-2.0
// Path replay: which copies of a ring's hosts reach each other while nodes are away, compared with
// the plan. The two share no code: a prediction that is wrong shows.
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
  // Waves that were left out: a large ring has more pairs of addresses than there is time for.
  std::size_t waves_left_out = 0;
  std::vector<PathDifference> different;  // in order of wave, network and pair
};

// Of each wave that takes nodes away: they are off, and every two addresses of hosts that are there
// are pinged, on copies as they are before the plan. `now`: what forwards by then, as it was
// observed; cables are the document's on both sides. Nothing is pinged from a platform without
// ping tests, nor where the prediction does not know.
PathReplay replay_paths(
    const Scene& scene, const plans::Plan& plan, const std::vector<reach::NetworkNow>& now);

}  // namespace fabric::rehearse
