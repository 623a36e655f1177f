// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "engine/base/random.hpp"
#include "engine/verify/orders/work_orders.hpp"

#include "tests/support/catch.hpp"

namespace fabric::verify::test {

namespace {

using Cable = Wiring::Cable;
constexpr std::size_t kOut = static_cast<std::size_t>(-1);

Cable sorted(Cable cable) {
  return {std::min(cable.a, cable.b), std::max(cable.a, cable.b)};
}

std::set<std::pair<std::size_t, std::size_t>> pairs(const std::vector<Cable>& cables) {
  std::set<std::pair<std::size_t, std::size_t>> all;
  for (const Cable& cable : cables)
    all.emplace(sorted(cable).a, sorted(cable).b);
  return all;
}

// Does what the list says, plug by plug, and requires what a person at the rack would stumble over:
// a plug is where the list says, and a port is free once the plugs of its group are pulled.
std::vector<Cable> perform(const Wiring& wiring, const Repair& repair) {
  std::vector<std::array<std::size_t, 2>> plugs;
  for (const Cable& cable : wiring.plugged)
    plugs.push_back({cable.a, cable.b});
  for (const Repair::Whole& removed : repair.removed)
    plugs[removed.cable] = {kOut, kOut};
  std::set<std::size_t> groups;
  for (const Repair::Move& move : repair.moves)
    groups.insert(move.group);
  const auto is_used = [&](std::size_t port) {
    return std::any_of(plugs.begin(), plugs.end(), [&](const auto& ends) {
      return ends[0] == port || ends[1] == port;
    });
  };
  for (const std::size_t group : groups) {
    std::vector<std::pair<std::size_t*, std::size_t>> pulled;
    for (const Repair::Move& move : repair.moves) {
      if (move.group != group) continue;
      auto& ends = plugs[move.plugged];
      const auto plug = std::find(ends.begin(), ends.end(), move.from);
      REQUIRE(plug != ends.end());
      *plug = kOut;
      pulled.emplace_back(&*plug, move.to);
    }
    for (const auto& [plug, to] : pulled) {
      REQUIRE_FALSE(is_used(to));
      *plug = to;
    }
  }
  for (const Repair::Whole& added : repair.added) {
    const Cable& cable = wiring.wanted[added.cable];
    REQUIRE_FALSE(is_used(cable.a));
    REQUIRE_FALSE(is_used(cable.b));
    plugs.push_back({cable.a, cable.b});
  }
  for (const Repair::Move& move : repair.moves) {
    const auto& ends = plugs[move.plugged];
    CHECK((ends[0] == move.stays || ends[1] == move.stays));
    CHECK(pairs({{ends[0], ends[1]}}) == pairs({wiring.wanted[move.wanted]}));
  }
  std::vector<Cable> cables;
  for (const auto& ends : plugs) {
    if (ends[0] != kOut) cables.push_back({ends[0], ends[1]});
  }
  return cables;
}

// Every way to end with the wanted cables, whatever it does: each wanted cable is made of any cable
// that is there, either way round, or of a new one. A plug that ends elsewhere than it began has to
// be moved, and once is enough, so the number of those plugs is the length of the shortest list.
class Search {
 public:
  explicit Search(const Wiring& wiring) : wiring_{wiring}, used_(wiring.plugged.size()) {
    for (const Cable& cable : wiring.wanted)
      wanted_ports_.insert({cable.a, cable.b});
    choose(0, 0);
  }
  std::size_t fewest() const { return fewest_; }

 private:
  void choose(std::size_t at, std::size_t cost) {
    if (cost >= fewest_) return;
    if (at == wiring_.wanted.size()) return finish(cost);
    const Cable& wanted = wiring_.wanted[at];
    choose(at + 1, cost + 2);
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) continue;
      const Cable& cable = wiring_.plugged[i];
      used_[i] = true;
      choose(at + 1, cost + (cable.a != wanted.a) + (cable.b != wanted.b));
      choose(at + 1, cost + (cable.a != wanted.b) + (cable.b != wanted.a));
      used_[i] = false;
    }
  }

  void finish(std::size_t cost) {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const Cable& cable = wiring_.plugged[i];
      // It is in the way.
      if (!used_[i] && (wanted_ports_.contains(cable.a) || wanted_ports_.contains(cable.b)))
        cost += 2;
    }
    fewest_ = std::min(fewest_, cost);
  }

  const Wiring& wiring_;
  std::vector<bool> used_;
  std::set<std::size_t> wanted_ports_;
  std::size_t fewest_ = kOut;
};

void check(const Wiring& wiring) {
  const Repair repair = fewest_moves(wiring);
  std::string shown;
  for (const Cable& cable : wiring.plugged)
    shown += std::to_string(cable.a) + "-" + std::to_string(cable.b) + " ";
  CAPTURE(shown);
  CHECK(repair.plugs() == Search{wiring}.fewest());
  const auto after = pairs(perform(wiring, repair));
  for (const auto& wanted : pairs(wiring.wanted))
    CHECK(after.contains(wanted));
  // Nothing else is left in a wanted port, and what is in none is as it was.
  for (const auto& cable : after) {
    if (pairs(wiring.wanted).contains(cable)) continue;
    CHECK(pairs(wiring.plugged).contains(cable));
    for (const Cable& wanted : wiring.wanted) {
      for (const std::size_t port : {wanted.a, wanted.b})
        CHECK((cable.first != port && cable.second != port));
    }
  }
}

// All ways to plug cables into these ports, none to all of them.
void each_wiring(Wiring& wiring, std::size_t port, std::vector<bool>& taken) {
  while (port < taken.size() && taken[port])
    ++port;
  if (port == taken.size()) return check(wiring);
  taken[port] = true;
  each_wiring(wiring, port + 1, taken);
  for (std::size_t other = port + 1; other < taken.size(); ++other) {
    if (taken[other]) continue;
    taken[other] = true;
    wiring.plugged.push_back({port, other});
    each_wiring(wiring, port + 1, taken);
    wiring.plugged.pop_back();
    taken[other] = false;
  }
  taken[port] = false;
}

// Ports 0-1, 2-3, ... are to be cabled; the others are none of the document's.
Wiring plan_of(std::size_t cables, std::size_t others) {
  Wiring wiring;
  for (std::size_t i = 0; i < cables; ++i)
    wiring.wanted.push_back({2 * i, 2 * i + 1});
  for (std::size_t port = 0; port < 2 * cables + others; ++port)
    wiring.place.push_back(port % 3);
  return wiring;
}

}  // namespace

TEST_CASE("no list of moves is shorter, whatever is plugged into what", "[verify]") {
  const auto [cables, others] =
      GENERATE(std::pair{1, 2}, std::pair{2, 0}, std::pair{2, 3}, std::pair{3, 2});
  Wiring wiring = plan_of(static_cast<std::size_t>(cables), static_cast<std::size_t>(others));
  std::vector<bool> taken(wiring.place.size());
  each_wiring(wiring, 0, taken);
}

TEST_CASE("seeded permutations of cables are repaired by the fewest moves", "[verify]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random{seed};
    Wiring wiring = plan_of(4 + seed % 2, 2);
    std::vector<std::size_t> ports;
    for (std::size_t port = 0; port < wiring.place.size(); ++port)
      ports.push_back(port);
    for (std::size_t i = ports.size(); i > 1; --i)
      std::swap(ports[i - 1], ports[random.below(i)]);
    for (std::size_t i = 0; i + 1 < ports.size() && wiring.plugged.size() < 5; i += 2)
      wiring.plugged.push_back({ports[i], ports[i + 1]});
    check(wiring);
  }
}

TEST_CASE(
    "a cycle of n cables takes n moves of plugs, all on the side where they go least far",
    "[verify]") {
  // Hosts 0, 2, 4 with a place each; the ports 1, 3, 5 of one switch, plugged one further.
  Wiring wiring = plan_of(3, 0);
  wiring.place = {0, 9, 1, 9, 2, 9};
  wiring.plugged = {{0, 3}, {2, 5}, {4, 1}};
  const Repair repair = fewest_moves(wiring);
  REQUIRE(repair.moves.size() == 3);
  CHECK(repair.added.empty());
  CHECK(repair.removed.empty());
  for (const Repair::Move& move : repair.moves) {
    CHECK(wiring.place[move.from] == 9);
    CHECK(wiring.place[move.to] == 9);
    CHECK(move.group == repair.moves.front().group);
  }
}

TEST_CASE("a thousand cables that are all one further are repaired at once", "[verify]") {
  Wiring wiring = plan_of(1000, 1);
  for (std::size_t i = 0; i < 1000; ++i)
    wiring.plugged.push_back({2 * i + 1, 2 * i + 2});
  const Repair repair = fewest_moves(wiring);
  CHECK(repair.plugs() == 1000);
  CHECK(pairs(perform(wiring, repair)) == pairs(wiring.wanted));
}

}  // namespace fabric::verify::test
