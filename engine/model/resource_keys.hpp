// SPDX-License-Identifier: Apache-2.0
// The kinds of resource, and the keys of a resource's binding: the words that expansion writes and
// providers read. Both are texts and no enumerations, because they are open: a platform brings
// kinds of its own (and so do tests), and plan files, records on the nodes and facts keep them as
// texts. resource_kinds.hpp says which kind carries which of them.
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
inline constexpr std::string_view kPassthrough = "passthrough";
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

// Key of every kind.
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
inline constexpr std::string_view kPrimary = "primary";
inline constexpr std::string_view kMembers = "members";
inline constexpr std::string_view kId = "id";
inline constexpr std::string_view kVlans = "vlans";
inline constexpr std::string_view kVfs = "vfs";
inline constexpr std::string_view kParentKind = "parent_kind";
inline constexpr std::string_view kParent = "parent";
inline constexpr std::string_view kPkey = "pkey";
inline constexpr std::string_view kIpoibMode = "ipoib_mode";

// Switches.
inline constexpr std::string_view kSwitchPort = "switch_port";
inline constexpr std::string_view kSwitchPorts = "switch_ports";
inline constexpr std::string_view kCarriedAt = "carried_at";
inline constexpr std::string_view kAddress = "address";
inline constexpr std::string_view kPeerAddress = "peer_address";
inline constexpr std::string_view kVlan = "vlan";
inline constexpr std::string_view kFirst = "first";
inline constexpr std::string_view kHost = "host";
// The name of the document that made the resource.
inline constexpr std::string_view kFabric = "fabric";

// Lossless RoCE. A switch has one resource of this kind, with this name.
inline constexpr std::string_view kSwitchQos = "roce";
inline constexpr std::string_view kRoceDscp = "roce_dscp";
inline constexpr std::string_view kCnpDscp = "cnp_dscp";

// Settings.
inline constexpr std::string_view kAtLeast = "at_least";
// The value of a firmware parameter that means its factory default.
inline constexpr std::string_view kFactory = "default";
// Attribute kRestore: the parameters whose former values the card gets back when the document drops
// them. For these kFormer has the values before, kPresent the present ones, and kGiveBack those to
// set by the document: {PARAMETER: value}.
inline constexpr std::string_view kRestore = "restore";
inline constexpr std::string_view kFormer = "former";
inline constexpr std::string_view kPresent = "present";
inline constexpr std::string_view kGiveBack = "give_back";

// Sriov, firmware.
inline constexpr std::string_view kDriver = "driver";
inline constexpr std::string_view kImage = "image";
inline constexpr std::string_view kPassedThrough = "passed_through";
inline constexpr std::string_view kGivenBack = "given_back";
// Key of settings: whether a guest is to have the card.
inline constexpr std::string_view kToGuest = "to_guest";

// Subnet managers.
inline constexpr std::string_view kManagers = "managers";
// Key of a package that the document does not name: the program that needs it.
inline constexpr std::string_view kProgram = "program";
inline constexpr std::string_view kNodeGuids = "node_guids";
// A list of ports, "pve1/cx5/1", whose GUIDs the resource needs: among them the ports of all
// resources of its kind and network, also of resources to be removed.
inline constexpr std::string_view kPeers = "peers";
// The document's GUIDs, for hosts that are not read; facts win.
inline constexpr std::string_view kDeclaredGuids = "declared_guids";
// Added by engine/provider/peers.hpp. kPortGuids: "0x..." by port, without ports of unknown GUID.
// kLeaving: the ports of resources of that kind to be removed, in any network; left out if there
// are none.
inline constexpr std::string_view kPortGuids = "port_guids";
inline constexpr std::string_view kLeaving = "leaving";
// Observed beside the desired attributes: the partitions of a manager, [{pkey, members: [{who,
// full}]}], with ports by their names where these are known.
inline constexpr std::string_view kHandedOut = "handed_out";
// True in a plan that is limited to some nodes: others were not asked for their GUIDs, so an
// unknown GUID does not mean that the member is off.
inline constexpr std::string_view kPartlyRead = "partly_read";

// Drain.
inline constexpr std::string_view kBefore = "before";
inline constexpr std::string_view kAfter = "after";
inline constexpr std::string_view kTimeoutMs = "timeout_ms";
// For a host outside of --limit that is only drained: the resources of switches within the limit
// that carry its traffic, by address.
inline constexpr std::string_view kInterruptedBy = "interrupted_by";

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
