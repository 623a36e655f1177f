// Peers: ports of other nodes that a resource is about, and their port GUIDs. A subnet manager
// names the members of its partitions by them, and only the facts of each member's own node can
// tell.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/platform/registry.hpp"
#include "engine/provider/facts.hpp"

namespace fabric {

// In Resource::binding: a list of ports, "pve1/cx5/1", and what is found out about them, "0x..." by
// port. A port that nobody tells anything of is left out. The ports of all resources of the same
// kind and network (port binding, network binding) are among them, of those that are to go too.
inline constexpr std::string_view kPeers = "peers";
inline constexpr std::string_view kPortGuids = "port_guids";
// What the document itself tells, of hosts that nobody reads; facts win.
inline constexpr std::string_view kDeclaredGuids = "declared_guids";

// In Resource::binding beside kPortGuids: the ports of that kind's resources which are to go, in
// any network; left out where there is none.
inline constexpr std::string_view kLeaving = "leaving";

using PortGuids = std::map<std::string, std::string, std::less<>>;
// By port, "pve1/cx5/1", what Provider::port_guids tells of the nodes in `reached`.
PortGuids all_port_guids(
    const std::vector<Resource>& resources,
    const std::map<NodeName, const NodeFacts*>& reached,
    const Registry& registry);

// Adds kPortGuids and kLeaving wherever there are kPeers. Pure; the providers are asked by
// Provider::port_guids.
std::vector<Resource> with_port_guids(
    std::vector<Resource> resources, const std::vector<NodeFacts>& facts, const Registry& registry);

}  // namespace fabric
