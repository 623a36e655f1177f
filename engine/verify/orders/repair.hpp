// SPDX-License-Identifier: Apache-2.0
// The fewest moves of plugs that make the cables that are wanted out of those that are plugged in.
#pragma once

#include <cstddef>
#include <vector>

namespace fabric::verify {

struct Wiring {
  // Two ports, by number.
  struct Cable {
    std::size_t a = 0, b = 0;
  };

  // No port is in two of either.
  std::vector<Cable> wanted, plugged;
  // By port, where it is: a plug that stays there is carried less far.
  std::vector<std::size_t> place;
};

// A move takes one plug out of its port and puts it into another one. To pull a plug for good and
// to put in one of a new cable are moves too, so a cable that is added or removed costs two.
struct Repair {
  struct Move {
    std::size_t wanted = 0;   // the cable that it makes
    std::size_t plugged = 0;  // of what is there now
    std::size_t from = 0, to = 0;
    std::size_t stays = 0;  // where the other plug is in the end
    // What is of one group needs the ports of each other: all its plugs are pulled, then put in.
    std::size_t group = 0;
  };
  struct Whole {
    std::size_t cable = 0, group = 0;
  };

  std::vector<Move> moves;
  std::vector<Whole> added;    // of `wanted`: needs a new cable
  std::vector<Whole> removed;  // of `plugged`: is in the way and left over

  std::size_t plugs() const { return moves.size() + 2 * added.size() + 2 * removed.size(); }
};

// Cables are alike: any may become any. What is plugged into no port of a wanted cable is left
// alone. Wanted and plugged cables alternate along paths and cycles of ports. Every cable of a path
// or cycle can keep one plug, and none more; a cable that is left over in one takes the place of
// one that is missing in another. Equal inputs give the equal list.
Repair fewest_moves(const Wiring& wiring);

}  // namespace fabric::verify
