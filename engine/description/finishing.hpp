// SPDX-License-Identifier: Apache-2.0
// Conclusions that need all sources together.
#pragma once

#include "engine/description/description.hpp"

namespace fabric::description {

// Ports that have a cable are no ports without one; two that are left in a network of two are
// cabled to each other, with a note. A switch without a name is called as all its hosts are
// labelled: with Slurm's switch, else with their rack. Roots of the routing have a port in their
// network.
void finish(Description& description);

}  // namespace fabric::description
