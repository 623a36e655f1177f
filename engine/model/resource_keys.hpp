// SPDX-License-Identifier: Apache-2.0
// The kinds of resource, and the keys by which a resource says what it is bound to: the words that
// expansion writes and providers read. Both are texts and no enumerations, because they are open: a
// platform brings kinds of its own (and so do tests), and plan files, records on the nodes and
// facts keep them as texts.
//
// Bindings that several kinds carry:
//   adapter binding   {adapter, model, family, device_ids[], ports, pci|node_guid|mac|serial?}
//   port binding      the adapter binding + {port}
//   network binding   {network, backend, adopt?: true | [pattern of statements that may be lost]}
//   every kind        {observe?: true}
// Attributes that several kinds have, called `ip` below:
//   mtu?: bytes; addresses?: ["10.30.0.1/24", "fd00::1/64"] (in order of address, IPv4 first);
//   gateway?, gateway6?: address; routes?: [{to, via, metric?, table?, source?}] (IPv4 first, in
//   order of writing; with `table` in that one alone; `source`: that packets of the node have;
//   `hops`: [address] in place of `via` where flows are shared, at the port of the last of them)
//
// Kind and name -> what it carries: binding -> desired attributes [features]
//   os "os"                {} -> release?, minimum?
//   software "stack"       {} -> stack?, minimum?, mft?, bundles?: [text]
//   package NAME           {} -> installed: true
//   module NAME (with _)   {} -> loaded: true, PARAMETER: text
//   tuning PROFILE         {} -> KEY: text (but what a later profile or the node's own `sysctl`
//                          sets)
//   sysctl NETWORK         {} -> KEY: text (what ports that share a subnet need, or equal ways)
//   forwarding "cx5.1"     port + {network} -> accept_local, forwarding,
//                          ignore_routes_with_linkdown, rp_filter: text, kernel parameters of the
//                          port's interface
//   sysctl "node"          {} -> KEY: text [each KEY]
//   adapter "cx5"          adapter -> firmware_minimum? (only checked, never changed; not beside an
//                          image)
//   firmware "cx5"         adapter + {image?: {source: path as written; by whoever reads the file:
//                          its path here, sha256, bytes}} -> version?, psid? [each, image]
//   settings "cx5"         adapter + {at_least?: [PARAMETER] of which more than the number is right
//                          too} -> PARAMETER: number or text; "default" is the factory's value;
//                          restore?: [PARAMETER] given back when nobody asks for them
//                          [PARAMETER with "default"; driver_link_type: no firmware tool knows the
//                          card, its driver sets the link type]
//   recovery "cx5"         adapter of an ESXi host -> shown: true (to the firmware tools), mode:
//                          "normal" of its driver, "recovery" between two boots
//   sriov "cx5"            adapter + {passed_through?: [adapter] of the same ESXi host that go to
//                          guests before it is set, adopted_ports?: [port] whose interface is
//                          taken over} -> vfs: number of each port, or passthrough: true
//   link_name "cx5.1"      port + {link_type? of its network, backend? that the node is told to
//                          use} -> name
//   interface "cx5.1"      port + network + {name?, link_type: ethernet|infiniband, bond?,
//                          carries?: true if VLANs or IPoIB children lie on it, by its name, of a
//                          node that takes over: vlans?: [id] on it, vfs?: of its card}
//                          -> ip, master? (a slave: mtu and master alone), ipoib_mode?:
//                          datagram|connected (then mtu is that of IPoIB), incoming_table?: number
//                          of the table, and of the rule, by which what comes in there goes on;
//                          source_table?: the same, of what has its IPv4 address as its source
//                          [infiniband, bond, adopt, gateway, gateway6, routes, ipv6, transit]
//                          Of a switch, "7" or "swp7s0" as the document writes the port:
//                          {switch_port, network, link_type} -> enabled: true, mtu?, bridged?: true
//                          [infiniband]
//   bond "bond0"           network + {bond, slaves: [port binding + {name?}] in order, vlans?}
//                          -> ip, mode (kernel name), miimon, updelay?, downdelay?, lacp_rate?,
//                          hash_policy?, primary?, min_links?, ad_select?, slaves: ["cx5.1"],
//                          roce?: true where a RoCE LAG device is expected
//                          [adopt, gateway, gateway6, routes, ipv6]
//                          Of a switch, "bond7" by its lowest port: {switch_ports: ["7", "8"],
//                          network, host: whose bond ends there, fabric: name of the document; of
//                          one that is left: bond, by its name there} -> mode: lacp|static,
//                          members:
//                          ["7", "8"], mtu?, bridged: true, mlag_id?
//   mlag DOMAIN            {peer: node, first: by name, vlan?, address?: "10.0.0.1/30" and
//                          peer_address?: of the link} of a switch in a pair
//                          -> peerlink: ["49", "50"], mtu?, system_mac, backup?: address of the
//                          peer, vip?: "192.0.2.82/24"  [vip, address]
//   vlan "NETWORK.VLAN"    network + {id, parent_kind, parent} + the parent's port binding and
//   name,
//                          or its bond and slaves -> ip, id
//                          With several parents on the node: "NETWORK.VLAN.cx5.1"
//                          [adopt, gateway, routes]
//                          Of a switch: {network, id, carried_at: [{ports: ["7", "8"], bond?:
//                          true, mlag_id?}]} -> id, carried by its bridge, or at these ports
//   qos "cx5.1"            port + {network, roce_dscp, cnp_dscp}: lossless RoCE at it -> dcbx:
//   "os", trust: dscp|pcp,
//                          pfc: [priority], roce_priority? and cnp_priority? (by trust dscp), ecn,
//                          cnp_dscp?, tos? (of RDMA CM, 0 to 255)
//                          Of a switch, "roce": {network} -> mode: "lossless", trust, pfc, ecn?
//   ipoib "cx3.1.8005"     port + network + {pkey, parent? (interface)}: a child of the port's
//                          interface; the P_Key of the name has the full membership bit
//                          -> ip, pkey: low 15 bits, ipoib_mode?  [adopt, gateway, routes]
//   subnet_manager "NETWORK.cx3.1"
//                          port + {network, adopt?, node_guids: {SWITCH: GUID} as far as known,
//                          peers: ["node/adapter/port"] whose port GUIDs it needs}
//                          -> manages: true, priority, guid?, routing_engine?, subnet_prefix?,
//                          virtualization?, roots?: [SWITCH], options?: {NAME: value} of OpenSM's
//                          file, io?: ["node/adapter/port"], partitions: [{name, pkey, ipoib, mtu?,
//                          members: [{who: ALL|SELF|"node/adapter/port", full}]}], a default
//                          partition among them  [adopt, options.NAME]
//                          Of a switch, NETWORK: {network} -> manages: true, priority,
//                          virtualization?, partitions? (then with peers)  [partitions,
//                          virtualization, `subnet_manager.X`]
//   drain "hooks"          {before?, after?: [text], timeout_ms} of a node with hooks
//                          -> drained: false; "maintenance" where the platform has such a mode
//   vswitch NAME           {network} of an ESXi host -> mtu, vmkernel_mtu
//                          [ipv4, ipv6, vlans]
//   cable "cx5.1"          port + {instruction, wait_ms} -> carrier: true, only where
//                          somebody wants to be asked (cables_to_connect); observed besides:
//                          interface_is_down, whose card may have a link all the same
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
inline constexpr std::string_view kForwarding = "forwarding";
inline constexpr std::string_view kAdapter = "adapter";
inline constexpr std::string_view kFirmware = "firmware";
inline constexpr std::string_view kSettings = "settings";
inline constexpr std::string_view kRecovery = "recovery";
inline constexpr std::string_view kSriov = "sriov";
inline constexpr std::string_view kLinkName = "link_name";
inline constexpr std::string_view kInterface = "interface";
inline constexpr std::string_view kBond = "bond";
inline constexpr std::string_view kVlan = "vlan";
inline constexpr std::string_view kMlag = "mlag";
inline constexpr std::string_view kQos = "qos";
inline constexpr std::string_view kIpoib = "ipoib";
inline constexpr std::string_view kSubnetManager = "subnet_manager";
inline constexpr std::string_view kDrain = "drain";
inline constexpr std::string_view kVswitch = "vswitch";
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
inline constexpr std::string_view kAdoptedPorts = "adopted_ports";

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
inline constexpr std::string_view kVlans = "vlans";
inline constexpr std::string_view kVfs = "vfs";
inline constexpr std::string_view kParentKind = "parent_kind";
inline constexpr std::string_view kParent = "parent";
inline constexpr std::string_view kPkey = "pkey";

// Switches.
inline constexpr std::string_view kSwitchPort = "switch_port";
inline constexpr std::string_view kSwitchPorts = "switch_ports";
inline constexpr std::string_view kCarriedAt = "carried_at";
inline constexpr std::string_view kAddress = "address";
inline constexpr std::string_view kPeerAddress = "peer_address";
inline constexpr std::string_view kVlan = "vlan";
inline constexpr std::string_view kFirst = "first";
inline constexpr std::string_view kHost = "host";
// The document that made it, by its name.
inline constexpr std::string_view kFabric = "fabric";

// Lossless RoCE. A switch has one resource of this kind, by this name.
inline constexpr std::string_view kSwitchQos = "roce";
inline constexpr std::string_view kRoceDscp = "roce_dscp";
inline constexpr std::string_view kCnpDscp = "cnp_dscp";

// Settings.
inline constexpr std::string_view kAtLeast = "at_least";
// The value of a parameter that stands for the factory's.
inline constexpr std::string_view kFactory = "default";
// An attribute: the parameters that are given back by themselves when nobody asks for them. What
// is left of settings says by kFormer what the card had before, by kPresent what it has;
// kGiveBack is what becomes of that by the document: {PARAMETER: value}.
inline constexpr std::string_view kRestore = "restore";
inline constexpr std::string_view kFormer = "former";
inline constexpr std::string_view kPresent = "present";
inline constexpr std::string_view kGiveBack = "give_back";

// Sriov, firmware.
inline constexpr std::string_view kDriver = "driver";
inline constexpr std::string_view kImage = "image";
inline constexpr std::string_view kPassedThrough = "passed_through";

// Subnet managers.
inline constexpr std::string_view kManagers = "managers";
// Of a package that the document does not name: the program that it is there for.
inline constexpr std::string_view kProgram = "program";
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
// Observed beside what is desired: the partitions that a manager hands out, [{pkey, members: [{who,
// full}]}] with ports by their names as far as these are known.
inline constexpr std::string_view kHandedOut = "handed_out";
// True in a plan that is limited to some nodes: others were not asked for their GUIDs, and a member
// that nobody knows is no sign that it is off.
inline constexpr std::string_view kPartlyRead = "partly_read";

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
inline constexpr std::string_view kInterfaceIsDown = "interface_is_down";
inline constexpr std::string_view kCarries = "carries";

}  // namespace keys

}  // namespace fabric
