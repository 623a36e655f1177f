// FabricSpec to the resources it asks for, with their edges. All of the document: whether some
// provider does it is not known here (Resource::features, plans/refusal.hpp).
//
// Bindings that several kinds carry:
//   adapter binding   {adapter, model, family, device_ids[], ports, pci|node_guid|mac|serial?}
//   port binding      the adapter binding + {port}
//   network binding   {network, backend, adopt?: true}
//   every kind        {observe?: true}
// Attributes that several kinds have, called `ip` below:
//   mtu?: bytes; addresses?: ["10.30.0.1/24", "fd00::1/64"] (in order of address, IPv4 first);
//   gateway?, gateway6?: address; routes?: [{to, via}] (IPv4 first, in order of writing)
//
// Kind and name -> what it carries: binding -> desired attributes [features]
//   os "os"                {} -> release?, minimum?
//   software "stack"       {} -> stack?, minimum?, mft?, bundles?: [text]
//   package NAME           {} -> installed: true
//   module NAME (with _)   {} -> loaded: true, PARAMETER: text
//   tuning PROFILE         {} -> KEY: text (but what a later profile or the node's own `sysctl`
//                          sets)
//   sysctl NETWORK         {} -> KEY: text (what ports that share a subnet need)
//   sysctl "node"          {} -> KEY: text [each KEY]
//   adapter "cx5"          adapter -> firmware_minimum? (only checked, never changed; not beside an
//                          image)
//   firmware "cx5"         adapter + {image?: {source: path as written; by whoever reads the file:
//                          its path here, sha256, bytes}} -> version?, psid? [each, image]
//   settings "cx5"         adapter -> PARAMETER: number or text; "default" is the factory's value
//                          [PARAMETER with "default"; driver_link_type: no firmware tool knows the
//                          card, its driver sets the link type]
//   sriov "cx5"            adapter -> vfs: number of each port, or passthrough: true
//   link_name "cx5.1"      port -> name
//   interface "cx5.1"      port + network + {name?, link_type: ethernet|infiniband, bond?}
//                          -> ip, master? (a slave: mtu and master alone), ipoib_mode?:
//                          datagram|connected (then mtu is that of IPoIB)
//                          [infiniband, bond, adopt, gateway, gateway6, routes, ipv6]
//   bond "bond0"           network + {bond, slaves: [port binding + {name?}] in order}
//                          -> ip, mode (kernel name), miimon, updelay?, downdelay?, lacp_rate?,
//                          hash_policy?, primary?, min_links?, ad_select?, slaves: ["cx5.1"],
//                          roce?: true where a RoCE LAG device is expected
//                          [adopt, gateway, gateway6, routes, ipv6]
//   vlan "NETWORK.VLAN"    network + {id, parent_kind, parent} + the parent's port binding and
//   name,
//                          or its bond and slaves -> ip, id
//                          With several parents on the node: "NETWORK.VLAN.cx5.1"
//                          [adopt, gateway, routes]
//   ipoib "cx3.1.8005"     port + network + {pkey, parent? (interface)}: a child of the port's
//                          interface; the P_Key of the name has the full membership bit
//                          -> ip, pkey: low 15 bits, ipoib_mode?  [adopt, gateway, routes]
//   subnet_manager "NETWORK.cx3.1"
//                          port + {network, adopt?, node_guids: {SWITCH: GUID} as far as known,
//                          peers: ["node/adapter/port"] whose port GUIDs it needs}
//                          -> manages: true, priority, guid?, routing_engine?, subnet_prefix?,
//                          virtualization?, roots?: [SWITCH],
//                          io?: ["node/adapter/port"], partitions: [{name, pkey, ipoib,
//                          mtu?, members: [{who: ALL|SELF|"node/adapter/port", full}]}], a default
//                          partition among them  [adopt]
//   drain "hooks"          {before?, after?: [text], timeout_ms} of a node with hooks
//                          -> drained: false
//   carrier "cx5.1"        port + {own_adapter, other_end: "pve2/cx5/2", other_node, other_adapter}
//                          of each end of a cable whose interface is ours; nothing is asked of it
//   link "cx5.1-pve2.cx5.2"
//                          {peer: node, port, peer_port} -> label?, length?, type?, speed?
//                          At the end whose port comes first; check_only
// Edges:
//   os, then software, then packages, then modules and firmware, then everything else of the node
//   adapter, firmware, settings and link names before what is on the card's ports
//   slaves beneath their bond; port or bond beneath a VLAN; interface beneath its IPoIB children
//   managers of an InfiniBand subnet before its IPoIB interfaces, on all nodes; the one of lowest
//   priority first, then those that take over from it, in one order of the nodes for all networks,
//   so that no two nodes can wait for each other
//   both ends before the link
// Of nodes that are reached (model/spec.hpp); the others have no resources.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// In order of address. What is no resource and nothing does yet (a platform) is an error
// here, by the name of the key (rule `not-supported-yet`). REQUIRES: `spec` has no errors.
std::vector<Resource> expand(const FabricSpec& spec, Diagnostics& diagnostics);

// For those who want to be asked for cables that are not there: of each cable of a network that is
// not InfiniBand, a resource at each end that is a host of ours, after what makes that end and the
// other one a port that is up. InfiniBand's subnet managers start before any IPoIB has a carrier.
//   cable "cx5.1"          port + {instruction, wait_ms} -> carrier: true
// REQUIRES: as expand(), whose result `resources` is.
std::vector<Resource> cables_to_connect(
    const FabricSpec& spec, const std::vector<Resource>& resources, Duration wait);

// For waves: sets of nodes that stand in one ring, in ring order.
struct Ring {
  std::string network;
  std::vector<NodeName> nodes;
};
std::vector<Ring> rings(const FabricSpec& spec);

// For waves: the hosts of ours that manage one InfiniBand subnet, of each that has more than one.
struct ManagerGroup {
  std::string network;
  std::set<NodeName> nodes;
};
// REQUIRES: `spec` has no errors.
std::vector<ManagerGroup> manager_groups(const FabricSpec& spec);

}  // namespace fabric
