// From lost pings to a cause: which node, which pair of ends.
#pragma once

#include <vector>

#include "engine/verify/evidence.hpp"
#include "engine/verify/topology.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

struct LossInputs {
  const FabricSpec& spec;
  const Evidence& evidence;
  const Topology& topology;
  const std::vector<CableReport>& cables;
  const std::vector<PathReport>& paths;
};

// Lost altogether: nodes that must forward on lost paths and on none that passed (`transit-lost`);
// what neither such a node nor a broken cable explains (`path-lost`).
std::vector<Finding> lost_paths(const LossInputs& inputs);

// Small frames pass, full ones don't (`mtu-lost`).
std::vector<Finding> lost_full_size(const LossInputs& inputs);

// Pings that could not be made (`path-untested`).
std::vector<Finding> untested_paths(const LossInputs& inputs);

}  // namespace fabric::verify
