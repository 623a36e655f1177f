// SPDX-License-Identifier: Apache-2.0
// Work orders: work at the racks that brings the cables into line with the document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

enum class Task : std::uint8_t {
  move,     // one plug to another port
  connect,  // a cable that is missing or dark
  unplug,   // a cable that is in the way and left over
  check,    // the plugs of a cable that has a link at one end only
  replace,  // a cable that is slower than it should be: clean it, then replace it
  decide,   // a link that the document does not know: unplug the cable, or write it down
  done      // an order of an earlier list with nothing left to do
};
std::string_view to_string(Task task);

// A port, and its place by the labels `rack` and `unit` of its node.
struct Spot {
  std::string rack, unit;  // "" = no such label
  std::string node, port;  // "pve1", "cx5/1"; a port unknown to the document: `port` alone
  bool empty() const { return node.empty() && port.empty(); }
};

struct WorkOrder {
  // "7K3M2-Q2XA9", computed from the two ends of the desired cable, or "7K3M2-Q2XA9/2" for its
  // second plug. It is the same in every run: nothing is stored.
  std::string number;
  // The number of the first of several moves whose plugs are in each other's ports: pull all of
  // them, then put them in. "" = the move is independent of others.
  std::string together;
  Task task = Task::move;
  std::string network;
  std::string label, length, type, speed;  // of the document's cable
  Spot plug;                               // where the plug is; empty for a new cable
  Spot to;                                 // where the plug goes; empty if nowhere
  Spot other;                              // where the cable's other plug is at the end
  Proof proof = Proof::none;               // the evidence for `plug`
  std::string detail;                      // the detail of the finding
};

// Pure. The fewest moves of plugs (fewest_moves()) that turn the seen links into the document's
// cables, then the cables to look at, in the document's order. A cable that could not be judged has
// no order.
std::vector<WorkOrder> work_orders(const FabricSpec& spec, const Report& report);

// Appends the orders of an earlier list that are not in this one, as done. `former`: the numbers of
// that list.
void add_done(std::vector<WorkOrder>& orders, const std::vector<std::string>& former);

// The number of the cable between two ports, in either order.
std::string cable_number(const std::string& a, const std::string& b);

// The fewest moves of plugs that make the cables that are wanted out of those that are plugged in.

struct Wiring {
  // The numbers of its two ports.
  struct Cable {
    std::size_t a = 0, b = 0;
  };

  // No port is in two wanted or in two plugged cables.
  std::vector<Cable> wanted, plugged;
  // The place of each port: a plug that stays in its place is carried less far.
  std::vector<std::size_t> place;
};
// A move takes one plug out of its port and puts it into another one. Pulling a plug for good and
// plugging in a new cable are moves too, so a cable that is added or removed costs two.
struct Repair {
  struct Move {
    std::size_t wanted = 0;   // index of the cable that the move makes
    std::size_t plugged = 0;  // index of the cable whose plug is moved
    std::size_t from = 0, to = 0;
    std::size_t stays = 0;  // port of the other plug at the end
    // Moves of one group use each other's ports: all plugs are pulled, then put in.
    std::size_t group = 0;
  };
  struct Whole {
    std::size_t cable = 0, group = 0;
  };

  std::vector<Move> moves;
  std::vector<Whole> added;    // those of `wanted` that need a new cable
  std::vector<Whole> removed;  // those of `plugged` that are in the way and left over

  std::size_t plugs() const { return moves.size() + 2 * added.size() + 2 * removed.size(); }
};
// Any cable may become any wanted one. A cable that is plugged into no port of a wanted one is left
// alone. Wanted and plugged cables alternate along paths and cycles of ports. Every cable of a path
// or cycle can keep one plug, and none more; a cable that is left over in one takes the place of
// one that is missing in another. Equal inputs give equal results.
Repair fewest_moves(const Wiring& wiring);

}  // namespace fabric::verify
