// From lost pings to a cause: which node, which pair of ends.
#pragma once

#include <vector>

#include "engine/verify/evidence/evidence.hpp"
#include "engine/verify/paths/topology.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

struct LossInputs {
  const FabricSpec& spec;
  const Evidence& evidence;
  const Topology& topology;
  const std::vector<CableReport>& cables;
  const std::vector<PathReport>& paths;
  const std::vector<SubnetPortReport>& subnet_ports;
};

// Null if the path is of a chain, or of no network of the document.
const NetworkSpec* joined_network(const FabricSpec& spec, const Path& path);
// "n1/cx5/1", "bond0 of n1", "n1/cx5/1 in VLAN backup": the end of the path that `port` stands for.
std::string end_text(const FabricSpec& spec, const Path& path, const PortRef& port);
// "a -> b and 3 more"
std::string path_examples(const FabricSpec& spec, const std::vector<const PathReport*>& reports);
// One `path-lost` per pair of nodes, whatever ports and direction.
std::vector<Finding> pair_findings(
    const FabricSpec& spec, const std::vector<const PathReport*>& reports);

// Lost altogether in a chain: nodes that must forward on lost paths and on none that passed
// (`transit-lost`); what neither such a node nor a broken cable explains (`path-lost`).
std::vector<Finding> lost_paths(const LossInputs& inputs);

// Lost altogether elsewhere (`path-lost`), but for what a finding about cables or about the subnet
// has explained: the end that can't be reached, where one is known to be that, or the pair.
std::vector<Finding> lost_joined_paths(const LossInputs& inputs);

// Small frames pass, full ones don't (`mtu-lost`).
std::vector<Finding> lost_full_size(const LossInputs& inputs);

// Pings that could not be made (`path-untested`).
std::vector<Finding> untested_paths(const LossInputs& inputs);

}  // namespace fabric::verify
