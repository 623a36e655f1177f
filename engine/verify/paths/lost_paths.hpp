// SPDX-License-Identifier: Apache-2.0
// From lost pings to a cause: which cable, which node, which pair of ends. A lost path that an
// earlier finding explains is counted there and is no finding.
#pragma once

#include <string>
#include <vector>

#include "engine/discovery/evidence.hpp"
#include "engine/verify/paths/topology.hpp"
#include "engine/verify/report/cable_report.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/path_report.hpp"
#include "engine/verify/report/subnet_port_report.hpp"

namespace fabric::verify {

struct LossInputs {
  const FabricSpec& spec;
  const discovery::Evidence& evidence;
  const Topology& topology;
  const std::vector<CableReport>& cables;
  const std::vector<PathReport>& paths;
  const std::vector<SubnetPortReport>& subnet_ports;
};

// Null if the path is of a chain, or of no network of the document.
const NetworkSpec* network_without_chain(const FabricSpec& spec, const Path& path);
// "n1/cx5/1", "bond0 of n1", "n1/cx5/1 in VLAN backup": the end of the path that `port` stands for.
std::string end_text(const FabricSpec& spec, const Path& path, const PortRef& port);
// "a -> b and 3 more"
std::string path_examples(const FabricSpec& spec, const std::vector<const PathReport*>& reports);
// One `path-lost` for each pair of nodes, for any number of ports and both directions; several
// pairs with a node in common get one more finding, which names that node and that they belong
// together.
void add_lost_pairs(
    const FabricSpec& spec, const std::vector<const PathReport*>& reports, Findings& findings);

// For a chain with an offline node, where the routes of its hosts are unknown: the loss may follow
// from that node, because the frames, or their answer by any port, would have to pass it. See
// expected_losses.hpp.
bool is_expected_loss(const FabricSpec& spec, const Topology& topology, const PathReport& report);

// Lost altogether in a chain: nodes that must forward on lost paths and on none that passed
// (`transit-lost`, a consequence where the node was not reached); what neither such a node nor a
// broken cable explains (`path-lost`).
void add_lost_chain_paths(const LossInputs& inputs, Findings& findings);

// Lost altogether elsewhere (`path-lost`), but for what a finding about cables, bonds or the subnet
// has explained: the end that can't be reached, where one is known to be that, or the pair.
void add_lost_switched_paths(const LossInputs& inputs, Findings& findings);

// Small frames pass, full ones don't (`mtu-lost`). Of several with one interface that is too small
// the first is the cause.
void add_lost_full_size(const LossInputs& inputs, Findings& findings);

// The paths that no ping could judge, in either direction.
std::vector<const PathReport*> unjudged_paths(const std::vector<PathReport>& paths);
// One finding for each reason (`path-untested`).
void add_untested_paths(const LossInputs& inputs, Findings& findings);

}  // namespace fabric::verify
