// The kinds of resource, and the keys by which a resource says what it is bound to: the words that
// expansion writes and providers read. Both are texts and no enumerations, because they are open: a
// platform brings kinds of its own (and so do tests), and plan files, records on the nodes and
// facts keep them as texts.
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
//   link_name "cx5.1"      port + {link_type? of its network, backend? that the node is told to
//                          use} -> name
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
//   cable "cx5.1"          port + {instruction, wait_ms} -> carrier: true
//                          only where somebody wants to be asked (cables_to_connect)
//   carrier "cx5.1"        port + {own_adapter, other_end: "pve2/cx5/2", other_node, other_adapter}
//                          of each end of a cable whose interface is ours; nothing is asked of it
//   link "cx5.1-pve2.cx5.2"
//                          {peer: node, port, peer_port} -> label?, length?, type?, speed?
//                          At the end whose port comes first; check_only
#pragma once

#include <string_view>

namespace fabric {

namespace kinds {

inline constexpr std::string_view kOs = "os";
inline constexpr std::string_view kSoftware = "software";
inline constexpr std::string_view kPackage = "package";
inline constexpr std::string_view kModule = "module";
inline constexpr std::string_view kTuning = "tuning";
inline constexpr std::string_view kSysctl = "sysctl";
inline constexpr std::string_view kAdapter = "adapter";
inline constexpr std::string_view kFirmware = "firmware";
inline constexpr std::string_view kSettings = "settings";
inline constexpr std::string_view kSriov = "sriov";
inline constexpr std::string_view kLinkName = "link_name";
inline constexpr std::string_view kInterface = "interface";
inline constexpr std::string_view kBond = "bond";
inline constexpr std::string_view kVlan = "vlan";
inline constexpr std::string_view kIpoib = "ipoib";
inline constexpr std::string_view kSubnetManager = "subnet_manager";
inline constexpr std::string_view kDrain = "drain";
inline constexpr std::string_view kCable = "cable";
inline constexpr std::string_view kCarrier = "carrier";
inline constexpr std::string_view kLink = "link";

}  // namespace kinds

namespace keys {

// Of every kind.
inline constexpr std::string_view kObserve = "observe";

// Network binding.
inline constexpr std::string_view kNetwork = "network";
inline constexpr std::string_view kBackend = "backend";
inline constexpr std::string_view kAdopt = "adopt";

// Adapter binding.
inline constexpr std::string_view kAdapter = "adapter";
inline constexpr std::string_view kModel = "model";
inline constexpr std::string_view kFamily = "family";
inline constexpr std::string_view kDeviceIds = "device_ids";
inline constexpr std::string_view kPorts = "ports";
inline constexpr std::string_view kPci = "pci";
inline constexpr std::string_view kNodeGuid = "node_guid";
inline constexpr std::string_view kMac = "mac";
inline constexpr std::string_view kSerial = "serial";

// Port binding.
inline constexpr std::string_view kPort = "port";
inline constexpr std::string_view kName = "name";
inline constexpr std::string_view kLinkType = "link_type";

// Bonds, VLANs, IPoIB children.
inline constexpr std::string_view kBond = "bond";
inline constexpr std::string_view kSlaves = "slaves";
inline constexpr std::string_view kId = "id";
inline constexpr std::string_view kParentKind = "parent_kind";
inline constexpr std::string_view kParent = "parent";
inline constexpr std::string_view kPkey = "pkey";

// Sriov, firmware.
inline constexpr std::string_view kDriver = "driver";
inline constexpr std::string_view kImage = "image";

// Subnet managers.
inline constexpr std::string_view kManagers = "managers";
inline constexpr std::string_view kNodeGuids = "node_guids";
// A list of ports, "pve1/cx5/1", whose GUIDs the resource needs. The ports of all resources of the
// same kind and network are among them, of those that are to go too.
inline constexpr std::string_view kPeers = "peers";
// What the document itself tells of them, of hosts that nobody reads; facts win.
inline constexpr std::string_view kDeclaredGuids = "declared_guids";
// Found out by engine/provider/peers.hpp: "0x..." by port; a port that nobody tells anything of is
// left out. And the ports of that kind's resources which are to go, in any network; left out where
// there is none.
inline constexpr std::string_view kPortGuids = "port_guids";
inline constexpr std::string_view kLeaving = "leaving";

// Drain.
inline constexpr std::string_view kBefore = "before";
inline constexpr std::string_view kAfter = "after";
inline constexpr std::string_view kTimeoutMs = "timeout_ms";

// Cables, carriers, links.
inline constexpr std::string_view kInstruction = "instruction";
inline constexpr std::string_view kWaitMs = "wait_ms";
inline constexpr std::string_view kOwnAdapter = "own_adapter";
inline constexpr std::string_view kOtherEnd = "other_end";
inline constexpr std::string_view kOtherNode = "other_node";
inline constexpr std::string_view kOtherAdapter = "other_adapter";
inline constexpr std::string_view kPeer = "peer";
inline constexpr std::string_view kPeerPort = "peer_port";

}  // namespace keys

}  // namespace fabric
