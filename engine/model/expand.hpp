// FabricSpec to the resources it asks for, with their edges.
//
// Kinds and what they carry (binding -> desired attributes):
//   adapter    {model, family, device_ids[], ports, pci|node_guid|mac|serial?}
//              -> firmware_minimum? (only checked, never changed)
//   settings   {adapter, + the binding of the adapter} -> PARAMETER: number or text
//   ("LINK_TYPE_P1": 2) interface  {adapter, port, + the binding of the adapter, name?, backend,
//   network}
//              -> mtu: int, addresses: ["10.30.0.1/24", ...] (sorted)
//   link_name  {adapter, port, + the binding of the adapter} -> name: text
//   sysctl     {} -> "net.ipv4.conf.all.arp_ignore": "1", ...
// Names: adapter "cx5"; settings "cx5"; interface "cx5.1"; link_name "cx5.1"; sysctl: the network.
// Edges: interface after settings and link_name of its adapter; settings after adapter.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// In order of address. What no provider can do yet is an error here, by the name of the key or
// mode (rule `not-supported-yet`), never half-applied. REQUIRES: `spec` has no errors.
std::vector<Resource> expand(const FabricSpec& spec, Diagnostics& diagnostics);

// For waves: sets of nodes that stand in one ring, in ring order.
struct Ring {
  std::string network;
  std::vector<NodeName> nodes;
};
std::vector<Ring> rings(const FabricSpec& spec);

}  // namespace fabric
