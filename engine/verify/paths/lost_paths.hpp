// SPDX-License-Identifier: Apache-2.0
// From lost pings to a cause: which cable, which node, which pair of ends. A lost path that an
// earlier finding explains is counted there and is no finding.
#pragma once

#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/discovery/evidence.hpp"
#include "engine/model/spec.hpp"
#include "engine/model/topology/path_losses.hpp"
#include "engine/verify/paths/topology.hpp"
#include "engine/verify/report/cable_report.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/path_report.hpp"
#include "engine/verify/report/reports.hpp"

namespace fabric::verify {

struct LossInputs {
  const FabricSpec& spec;
  const discovery::Evidence& evidence;
  const Topology& topology;
  const std::vector<CableReport>& cables;
  const std::vector<PathReport>& paths;
  const std::vector<SubnetPortReport>& subnet_ports;
};

// The path's network; null if that is a chain or not in the document.
const NetworkSpec* network_without_chain(const FabricSpec& spec, const Path& path);
// "n1/cx5/1", "bond0 of n1", "n1/cx5/1 in VLAN backup": the end of the path that `port` stands for.
std::string end_text(const FabricSpec& spec, const Path& path, const PortRef& port);
// "a -> b and 3 more"
std::string path_examples(const FabricSpec& spec, const std::vector<const PathReport*>& reports);
// Adds one `path-lost` for each pair of nodes, for any number of ports and both directions; several
// pairs with a node in common get one more finding that names this node as their common part.
void add_lost_pairs(
    const FabricSpec& spec, const std::vector<const PathReport*>& reports, Findings& findings);

// For a chain with an offline node and unknown routes of its hosts: true if that node can be the
// cause, because the frames, or their answer by any port, would have to pass it.
bool is_expected_loss(const FabricSpec& spec, const Topology& topology, const PathReport& report);

// Paths of a chain that lose all frames: `transit-lost` for nodes that must forward on lost paths
// and on none that passed (a consequence where the node was not reached), `path-lost` for paths
// that neither such a node nor a broken cable explains.
void add_lost_chain_paths(const LossInputs& inputs, Findings& findings);

// Paths of other networks that lose all frames: `path-lost` for the end that can't be reached,
// where one is known, or for the pair. None where a finding about cables, bonds or the subnet
// explains it.
void add_lost_switched_paths(const LossInputs& inputs, Findings& findings);

// Paths that small frames pass and full ones don't (`mtu-lost`). If several have an interface with
// too small an MTU in common, the first is the cause.
void add_lost_full_size(const LossInputs& inputs, Findings& findings);

// The paths that no ping could judge, in either direction.
std::vector<const PathReport*> unjudged_paths(const std::vector<PathReport>& paths);
// Adds one finding for each reason (`path-untested`).
void add_untested_paths(const LossInputs& inputs, Findings& findings);

// Rings that are set up while cables of them are not where the document has them: a node comes in
// or goes out, or a plug is in another port.
// Rule `ring-open`, while a plan is made: one finding for each network, with the cables that a
// person has to move, the present places of their plugs as far as they are known, and the paths
// that are lost until it is done. No finding about a ring whose hosts have no addresses yet, or
// that has too many pairs of addresses to look at. `now`: observed_paths().
void report_open_rings(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<reach::NetworkNow>& now,
    Diagnostics& diagnostics);

}  // namespace fabric::verify
