// SPDX-License-Identifier: Apache-2.0
// Fabrics whose MTUs change: one document is applied, then another that says the same but for its
// MTUs, without faults, and between any two actions no host may send what its network does not
// carry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fabric::simulation {

struct MtuStory {
  std::string name;           // "esxi over cumulus, raised"
  std::string before, after;  // the YAML
  std::uint64_t seed = 1;
  bool facts_refuse = false;  // a plan may be refused for what only nodes tell
};

// Every kind of end over every kind of middle, raised and lowered.
std::vector<MtuStory> mtu_pairs();
// A random fabric with random MTUs.
MtuStory random_mtus(std::uint64_t seed);
// What went wrong, and then the trace; nothing: it went well.
std::vector<std::string> play(const MtuStory& story);

}  // namespace fabric::simulation
