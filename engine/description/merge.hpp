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
};

// Nodes are one if their names are, without case and domain. What one source does not tell, the
// next one may. Where two differ the earlier one stays, and a note says what the later one has: a
// disagreement is never decided in silence. REQUIRES: there is a source.
Description merge(const std::vector<Source>& sources);

}  // namespace fabric::description
