// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/orders/repair.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/check.hpp"

namespace fabric::verify {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Cables along ports: `ports[i]` and `ports[i + 1]` are the ends of `cables[i]`, which are wanted
// and plugged in turns. In a cycle the last port is the first one.
struct Walk {
  std::vector<std::size_t> ports;
  std::vector<std::size_t> cables;
  bool begins_wanted = true;
};

class Planner {
 public:
  explicit Planner(const Wiring& wiring)
      : wiring_{wiring}, wanted_at_(wiring.place.size(), kNone), plugged_at_(wanted_at_) {
    enter(wiring.wanted, wanted_at_);
    enter(wiring.plugged, plugged_at_);
    // What is as it should be takes no part.
    for (std::size_t port = 0; port < wanted_at_.size(); ++port) {
      if (wanted_at_[port] == kNone || plugged_at_[port] == kNone) continue;
      const std::size_t other = other_end(wiring.wanted[wanted_at_[port]], port);
      if (other != other_end(wiring.plugged[plugged_at_[port]], port)) continue;
      for (const std::size_t end : {port, other})
        wanted_at_[end] = plugged_at_[end] = kNone;
    }
  }

  Repair plan() && {
    // A path begins where a port has only one of the two.
    for (std::size_t port = 0; port < wanted_at_.size(); ++port) {
      const bool wanted = wanted_at_[port] != kNone;
      if (wanted != (plugged_at_[port] != kNone)) take_path(walk_from(port, wanted));
    }
    for (std::size_t port = 0; port < wanted_at_.size(); ++port) {
      if (wanted_at_[port] != kNone) take_cycle(walk_from(port, true));
    }
    reuse();
    return std::move(repair_);
  }

 private:
  void enter(const std::vector<Wiring::Cable>& cables, std::vector<std::size_t>& at) {
    for (std::size_t cable = 0; cable < cables.size(); ++cable) {
      for (const std::size_t port : {cables[cable].a, cables[cable].b}) {
        FABRIC_CHECK(at.at(port) == kNone, "a port is in two cables");
        at[port] = cable;
      }
    }
  }

  static std::size_t other_end(const Wiring::Cable& cable, std::size_t port) {
    return cable.a == port ? cable.b : cable.a;
  }

  // Takes what it walks along out of the tables.
  Walk walk_from(std::size_t port, bool wanted) {
    Walk walk{{port}, {}, wanted};
    for (bool turn = wanted;; turn = !turn) {
      std::vector<std::size_t>& at = turn ? wanted_at_ : plugged_at_;
      const std::size_t cable = at[port];
      if (cable == kNone) return walk;
      const std::size_t next = other_end((turn ? wiring_.wanted : wiring_.plugged)[cable], port);
      at[port] = at[next] = kNone;
      walk.cables.push_back(cable);
      walk.ports.push_back(next);
      port = next;
    }
  }

  // The plug of cable `plugged` of the walk that makes it cable `wanted`, its neighbour there.
  Repair::Move move(const Walk& walk, std::size_t plugged, std::size_t wanted) const {
    const bool forward = wanted > plugged;
    const std::size_t shared = walk.ports[forward ? plugged + 1 : plugged];
    const std::size_t from = walk.ports[forward ? plugged : plugged + 1];
    const std::size_t to = walk.ports[forward ? wanted + 1 : wanted];
    return {walk.cables[wanted], walk.cables[plugged], from, to, shared, group_};
  }

  std::size_t distance(const Repair::Move& move) const {
    return wiring_.place[move.from] == wiring_.place[move.to] ? 0 : 1;
  }

  void take_path(const Walk& walk) {
    // A plugged cable alone, with no port of a wanted one.
    if (!walk.begins_wanted && walk.cables.size() == 1) return;
    const bool ends_wanted = walk.begins_wanted == (walk.cables.size() % 2 == 1);
    std::size_t left_out = walk.cables.size();
    if (walk.begins_wanted == ends_wanted) left_out = best_left_out(walk);
    if (left_out != walk.cables.size()) {
      (walk.begins_wanted ? repair_.added : repair_.removed)
          .push_back({walk.cables[left_out], group_});
    }
    // Each cable of the other kind goes with its neighbour, away from the one that is left out. A
    // path with as many of both is cut nowhere: it is as if the one before its begin were out.
    for (std::size_t at = 0; at < walk.cables.size(); ++at) {
      if (!is_plugged(walk, at) || at == left_out) continue;
      repair_.moves.push_back(move(walk, at, partner(walk, at, left_out)));
    }
    ++group_;
  }

  static bool is_plugged(const Walk& walk, std::size_t at) {
    return walk.begins_wanted == (at % 2 == 1);
  }

  // Of the plugged cable `at`: the wanted one that it becomes.
  static std::size_t partner(const Walk& walk, std::size_t at, std::size_t left_out) {
    const bool cut = left_out != walk.cables.size();
    if (!cut) return walk.begins_wanted ? at - 1 : at + 1;
    if (walk.begins_wanted) return at < left_out ? at - 1 : at + 1;
    return at < left_out ? at + 1 : at - 1;
  }

  // Which cable of the kind of the first one is left out, so that plugs are carried least far.
  std::size_t best_left_out(const Walk& walk) const {
    std::size_t cost = 0;
    for (std::size_t at = 0; at < walk.cables.size(); ++at) {
      if (is_plugged(walk, at) && at != 0) cost += distance(move(walk, at, partner(walk, at, 0)));
    }
    std::size_t best = 0;
    std::size_t best_cost = cost;
    for (std::size_t next = 2; next < walk.cables.size(); next += 2) {
      // From `next - 2` to `next` one pair more goes the other way.
      const std::size_t turned = walk.begins_wanted ? next - 1 : next - 2;
      const std::size_t former = walk.begins_wanted ? next - 1 : next;
      cost += distance(move(walk, turned, partner(walk, turned, next)));
      cost -= distance(move(walk, former, partner(walk, former, next - 2)));
      if (cost >= best_cost) continue;
      best = next;
      best_cost = cost;
    }
    return best;
  }

  // All plugs of one side or all of the other.
  void take_cycle(const Walk& walk) {
    const auto with = [&](bool forward) {
      std::vector<Repair::Move> moves;
      for (std::size_t at = 1; at < walk.cables.size(); at += 2) {
        if (!forward) {
          moves.push_back(move(walk, at, at - 1));
          continue;
        }
        // The neighbour of the last one is the first.
        const std::size_t wanted = (at + 1) % walk.cables.size();
        moves.push_back(
            {walk.cables[wanted],
             walk.cables[at],
             walk.ports[at],
             walk.ports[wanted + 1],
             walk.ports[at + 1],
             group_});
      }
      return moves;
    };
    const auto cost = [&](const std::vector<Repair::Move>& moves) {
      std::size_t all = 0;
      for (const Repair::Move& each : moves)
        all += distance(each);
      return all;
    };
    std::vector<Repair::Move> moves = with(false);
    std::vector<Repair::Move> others = with(true);
    if (cost(others) < cost(moves)) moves = std::move(others);
    repair_.moves.insert(repair_.moves.end(), moves.begin(), moves.end());
    ++group_;
  }

  // What is left over becomes what is missing: two moves in place of four.
  void reuse() {
    const auto by_cable = [](const Repair::Whole& one, const Repair::Whole& other) {
      return one.cable < other.cable;
    };
    std::sort(repair_.added.begin(), repair_.added.end(), by_cable);
    std::sort(repair_.removed.begin(), repair_.removed.end(), by_cable);
    const std::size_t both = std::min(repair_.added.size(), repair_.removed.size());
    for (std::size_t i = 0; i < both; ++i) {
      const Repair::Whole& added = repair_.added[i];
      const Repair::Whole& removed = repair_.removed[i];
      // Of a path there is one or the other, so no group is joined twice.
      for (Repair::Move& move : repair_.moves) {
        if (move.group == added.group) move.group = removed.group;
      }
      add_both_plugs(added.cable, removed.cable, removed.group);
    }
    const auto used = static_cast<std::ptrdiff_t>(both);
    repair_.added.erase(repair_.added.begin(), repair_.added.begin() + used);
    repair_.removed.erase(repair_.removed.begin(), repair_.removed.begin() + used);
  }

  void add_both_plugs(std::size_t to, std::size_t from, std::size_t group) {
    const Wiring::Cable& wanted = wiring_.wanted[to];
    const Wiring::Cable& plugged = wiring_.plugged[from];
    const auto place = [&](std::size_t port) {
      return wiring_.place[port];
    };
    const bool crosswise =
        place(plugged.a) == place(wanted.b) || place(plugged.b) == place(wanted.a);
    const std::size_t of_a = crosswise ? wanted.b : wanted.a;
    const std::size_t of_b = crosswise ? wanted.a : wanted.b;
    repair_.moves.push_back({to, from, plugged.a, of_a, of_b, group});
    repair_.moves.push_back({to, from, plugged.b, of_b, of_a, group});
  }

  const Wiring& wiring_;
  // By port, the cable there; kNone where there is none, or where it has been dealt with.
  std::vector<std::size_t> wanted_at_, plugged_at_;
  std::size_t group_ = 0;
  Repair repair_;
};

}  // namespace

Repair fewest_moves(const Wiring& wiring) {
  return Planner{wiring}.plan();
}

}  // namespace fabric::verify
