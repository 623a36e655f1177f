// SPDX-License-Identifier: Apache-2.0
// Peers: ports of other nodes that a resource names, and their port GUIDs. A subnet manager names
// the members of its partitions by them, and only the facts of each member's own node have them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/bindings.hpp"
#include "engine/provider/registry.hpp"

namespace fabric {

using PortGuids = std::map<std::string, std::string, std::less<>>;
// Port GUIDs by port, "pve1/cx5/1", of the nodes in `reached` (Provider::port_guids).
PortGuids all_port_guids(
    const std::vector<Resource>& resources,
    const std::map<NodeName, const NodeFacts*>& reached,
    const Registry& registry);

// Adds keys::kPortGuids and keys::kLeaving wherever there are keys::kPeers. Pure; the providers are
// asked by Provider::port_guids. The GUID of a port that its own node does not show, because the
// node is off or the card is lost, is that of the document, of the subnet (`seen`), or of records
// of managers.
Bindings port_guid_bindings(
    const std::vector<Resource>& resources,
    const std::vector<NodeFacts>& facts,
    const Registry& registry,
    const PortGuids& seen = {});

}  // namespace fabric
