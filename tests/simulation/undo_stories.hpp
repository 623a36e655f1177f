// SPDX-License-Identifier: Apache-2.0
// A run of a random fabric that is killed somewhere and undone, often by an undo that is killed
// too: what the nodes then show is what they showed before it, and the document can be applied
// again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fabric::simulation {

struct UndoTally {
  std::size_t undone = 0, killed = 0;
  std::size_t whole = 0;  // nothing was left, and everything is as before
};

// What went wrong, and then the trace; nothing: it went well.
std::vector<std::string> play_undo(std::uint64_t seed, UndoTally& tally);

}  // namespace fabric::simulation
