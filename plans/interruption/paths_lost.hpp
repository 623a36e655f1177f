// SPDX-License-Identifier: Apache-2.0
// Which paths a wave takes from hosts that it does not touch, while it lasts.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/topology/path_losses.hpp"

namespace fabric::plans {

// What forwards now, and what is away already, of each chaining network.
using PathsNow = std::vector<reach::NetworkNow>;

// Of one network: what a wave takes, while it lasts, from hosts that it does not touch. Counted in
// pairs of addresses that work when the plan is made.
struct PathsLostInWave {
  std::uint32_t wave = 1;
  std::string network;
  std::vector<NodeName> away;  // nodes of the wave that forward nothing meanwhile
  std::uint32_t working = 0, lost = 0, unknown = 0;
  // Hosts of which no pair of addresses is left; of `host_pairs` that have one now.
  std::vector<std::pair<NodeName, NodeName>> apart{};
  std::uint32_t host_pairs = 0;
  std::string example{};  // of one pair: "the answer leaves by ..."

  // There are too many pairs to look at: all are unknown, and no pair of hosts is counted.
  bool is_unjudged() const { return unknown != 0 && host_pairs == 0; }
};

// By wave, the nodes that forward nothing meanwhile.
using AwayByWave = std::map<std::uint32_t, std::set<NodeName>>;

// Pairs of addresses that are looked at in one network, in all waves together: some seconds. A ring
// of 125 hosts of which each is away once has as many.
inline constexpr std::size_t kPairsJudged = 4'000'000;

// In order of wave and network, where something is lost or not known.
std::vector<PathsLostInWave> paths_lost(const PathsNow& now, const AwayByWave& waves);

// Where the document refuses that, of a node that would be away: which hosts have no path left
// then, or that there are too many to look at. "" = all keep one, or have none now.
std::string held_by_paths(const PathsNow& now, const NodeName& node);

}  // namespace fabric::plans
