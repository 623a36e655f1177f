// SPDX-License-Identifier: Apache-2.0
// Several sources of one fabric as one description.
#pragma once

#include <string>
#include <vector>

#include "engine/description/description.hpp"

namespace fabric::description {

struct Source {
  std::string name;  // "dump.txt"
  Description says;
  Nearness nearness = Nearness::cabling;
};

// By nearness, then by name: whatever the order of the sources, the result is the same.
void sort_by_nearness(std::vector<Source>& sources);

// Ports are one by node GUID, port GUID or MAC, cards by their serial number; else nodes, cards and
// ports are one by their names, without case and domain, and nodes by their address. Networks are
// one where they share a port or a switch. The next source may fill in values that one lacks. Where
// two differ the nearer one wins, and a note names both: no disagreement is decided in silence.
// Switches without a name get that of Slurm or of the rack of the hosts behind them. REQUIRES:
// there is a source.
Description merge(std::vector<Source> sources);

}  // namespace fabric::description
