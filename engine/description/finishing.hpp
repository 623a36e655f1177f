// SPDX-License-Identifier: Apache-2.0
// Conclusions that need all sources together.
#pragma once

#include "engine/description/description.hpp"

namespace fabric::description {

// Removes ports with a cable from the ports without one; cables the last two of a network of two to
// each other, with a note. Names a switch without a name by the common label of all its hosts:
// Slurm's switch, or else their rack. A root of the routing without a cable gets a port.
void finish(Description& description);

}  // namespace fabric::description
