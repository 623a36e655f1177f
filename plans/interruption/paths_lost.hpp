// SPDX-License-Identifier: Apache-2.0
// The paths between hosts outside of a wave that are lost while the wave lasts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/spec.hpp"
#include "engine/model/topology/path_losses.hpp"

namespace fabric::plans {

// The nodes of each chaining network that forward now, and those that are away already.
using PathsNow = std::vector<reach::NetworkNow>;

// For one network and wave: the pairs of addresses of hosts outside of the wave that lose their
// path while it lasts; or the pairs of hosts that share no partition from this wave on (`apart` has
// only some of them). Only pairs that work when the plan is made are counted.
struct PathsLostInWave {
  std::uint32_t wave = 1;
  std::string network;
  std::vector<NodeName> away;  // nodes of the wave that forward nothing meanwhile
  std::uint32_t working = 0, lost = 0, unknown = 0;
  // Pairs of hosts that lose all their pairs of addresses; `host_pairs` have at least one now.
  std::vector<std::pair<NodeName, NodeName>> apart{};
  std::uint32_t host_pairs = 0;
  std::string example{};  // for one pair: "the answer leaves by ..."

  // There are too many pairs to judge: all are unknown, and no pair of hosts is counted.
  bool by_partitions() const { return away.empty(); }
  bool is_unjudged() const { return unknown != 0 && host_pairs == 0; }
};

// For each wave: the nodes that forward nothing during it.
using AwayByWave = std::map<std::uint32_t, std::set<NodeName>>;

// How many pairs of addresses are judged in one network, in all waves together. This takes some
// seconds. A ring of 125 hosts in which each host is away once has as many.
inline constexpr std::size_t kPairsJudged = 4'000'000;

// Sorted by wave and network; only entries with a lost or unknown pair.
std::vector<PathsLostInWave> paths_lost(const PathsNow& now, const AwayByWave& waves);

// Why a node can't be away where the document refuses lost paths: the hosts that would have no path
// left, or that there are too many pairs to judge. "" = every pair keeps a path, or has none now.
std::string held_by_paths(const PathsNow& now, const NodeName& node);

// Hosts whose connection depends on one cable, switch or other host: now, while each wave lasts,
// and afterwards. Judged by the cables of the document and the nodes that are known to be down.
struct SingleHosts {
  std::string network;
  std::uint32_t hosts = 0, of = 0;
  std::string example{};  // "s1 by leaf2"; "" = no host depends on one
};

// Hosts outside of a wave that depend on one cable, switch or host only while it lasts.
struct SingleInWave {
  std::uint32_t wave = 1;
  std::string network;
  std::vector<NodeName> away;   // nodes of the wave by which the network is connected
  std::vector<NodeName> hosts;  // in order; empty: the network is too large to judge
  std::string example{};
};

struct Single {
  std::vector<SingleHosts> now{}, afterwards{};  // of networks that a wave weakens, in order
  std::vector<SingleInWave> waves{};             // in order of wave, network
};

// How many ports of a network are judged in all its waves together, in a second or two.
inline constexpr std::size_t kPortsJudged = 2'000'000;

struct SingleInputs {
  const FabricSpec& spec;
  std::set<NodeName> down{}, offline{};  // down now, offline ones included; down for good
  std::set<std::string> idle{};          // networks that do not work yet
};

// Empty if no wave takes away a node by which a network is connected.
Single single(const SingleInputs& inputs, const AwayByWave& waves);

}  // namespace fabric::plans
