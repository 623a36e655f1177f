// SPDX-License-Identifier: Apache-2.0
// Which hosts hang by one cable, switch or host: now, while each wave lasts, and afterwards. By the
// cables of the document and the nodes that are known to be down.
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
  std::string example{};  // "s1 by leaf2"; "" = none does
};

// Hosts that do so only while a wave lasts, of those that it does not take away itself.
struct SingleInWave {
  std::uint32_t wave = 1;
  std::string network;
  std::vector<NodeName> away;   // nodes of the wave by which the network hangs together
  std::vector<NodeName> hosts;  // in order; empty: there is too much to look at
  std::string example{};
};

struct Single {
  std::vector<SingleHosts> now{}, afterwards{};  // of networks that a wave weakens, in order
  std::vector<SingleInWave> waves{};             // in order of wave, network
};

// Ports of a network that are looked at in all its waves together: a second or two.
inline constexpr std::size_t kPortsJudged = 2'000'000;

struct SingleInputs {
  const FabricSpec& spec;
  std::set<NodeName> down{}, offline{};  // away now, offline ones included; that stay away
  std::set<std::string> idle{};          // networks that have nothing to lose: they don't work yet
};

// Empty if no wave takes away anything by which a network hangs together.
Single single(const SingleInputs& inputs, const AwayByWave& waves);

}  // namespace fabric::plans
