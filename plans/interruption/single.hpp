// SPDX-License-Identifier: Apache-2.0
// Hosts whose connection depends on one cable, switch or other host: now, while each wave lasts,
// and afterwards. Judged by the cables of the document and the nodes that are known to be down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/model/spec.hpp"
#include "plans/interruption/paths_lost.hpp"

namespace fabric::plans {

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
