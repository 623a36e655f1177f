// SPDX-License-Identifier: Apache-2.0
// Joins several sources of one fabric to one description.
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

// By nearness, then by name, so that the result does not depend on the order of the sources.
void sort_by_nearness(std::vector<Source>& sources);

// Ports are equal by node GUID, port GUID or MAC, cards by serial number; otherwise nodes, cards
// and ports by name, without case and domain, and nodes by address. Networks are equal if they
// share a port or a switch. A later source fills in missing values. Where two values differ the
// nearer source wins, and a note names both. Switches without a name get that of Slurm or of the
// rack of their hosts. REQUIRES: there is a source.
Description merge(std::vector<Source> sources);

}  // namespace fabric::description
