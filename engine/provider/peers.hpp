// SPDX-License-Identifier: Apache-2.0
// Peers: ports of other nodes that a resource is about, and their port GUIDs. A subnet manager
// names the members of its partitions by them, and only the facts of each member's own node can
// tell.
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

// keys::kPortGuids and keys::kLeaving wherever there are keys::kPeers. Pure; the providers are
// asked by Provider::port_guids. A port that its own node does not show, because that is off or its
// card is lost, is known by the document, by the subnet (`seen`), or by what managers have noted.
Bindings port_guid_bindings(
    const std::vector<Resource>& resources,
    const std::vector<NodeFacts>& facts,
    const Registry& registry,
    const PortGuids& seen = {});

}  // namespace fabric
