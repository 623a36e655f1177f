// SPDX-License-Identifier: Apache-2.0
// FabricSpec: the document, decoded. Plain values; what the keys mean is written in
// schemas/fabric.schema.json, which is the source of the shape. Everything a rule may point at
// keeps its place (Sourced, range).
//
// Decoded from a document that is structurally valid: defaults, profiles and node sets are already
// expanded, addresses allocated, cable shorthands written out.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/shared.hpp"
#include "engine/base/source.hpp"
#include "engine/model/address.hpp"
#include "engine/model/hardware.hpp"
#include "engine/model/names.hpp"
#include "engine/model/platform.hpp"

namespace fabric {

enum class Mode : std::uint8_t { infiniband, ethernet, chain, lag };
// Whether hosts of a network forward packets for other hosts: `by_static`, by routes that follow
// from the cables; `by_frr`, by a routing protocol.
enum class Transit : std::uint8_t { none, by_static, by_frr };
// `offline`: known to be down.
enum class NodeState : std::uint8_t { managed, observe, absent, offline };
// The policy for a wave that cuts all paths between two nodes outside of it: report it, ask the
// operator, or hold it back.
enum class PathsLost : std::uint8_t { report, ask, refuse };
// The policy for a wave in which a host comes to depend on one cable, switch or host.
enum class Redundancy : std::uint8_t { report, keep };
enum class NetworkBackend : std::uint8_t {
  automatic,
  ifupdown,
  ifcfg,
  networkmanager,
  netplan,
  networkd
};

// The document's word: "auto", ...
std::string_view to_string(Mode mode);
std::string_view to_string(Transit transit);
std::string_view to_string(NodeState state);
std::string_view to_string(PathsLost policy);
std::string_view to_string(Redundancy policy);
std::string_view to_string(NetworkBackend backend);

// The source of a password; the password itself is never in the document. The document's source
// takes effect only where the operator trusts the document.
struct PasswordSource {
  std::string environment_variable;
  std::vector<std::string> command;
  SourceRange range{};  // place of the variable or the command
};

struct SshSpec {
  Sourced<std::string> user;    // "" = by ssh config, else the local user
  Sourced<std::uint32_t> port;  // 0 = by ssh config, else 22
  Sourced<std::string> identity_file;
  std::optional<PasswordSource> password;
  Sourced<std::string> jump;      // [user@]host[:port]
  Sourced<std::string> via;       // another node of the document
  Sourced<std::string> become;    // "" or "sudo"
  Sourced<std::string> host_key;  // "SHA256:..." or a public key line
  Sourced<bool> legacy_algorithms;
};

struct FirmwareSpec {
  Sourced<std::string> minimum;
  Sourced<std::string> version;
  // Firmware parameters by name; nullopt for the value "default".
  std::map<std::string, Sourced<std::optional<std::string>>> params;
  Sourced<std::string> image;
  Sourced<std::string> psid;
  Sourced<bool> recovery_mode;  // may be used if the tools do not see the card (ESXi)
  SourceRange range;
};

struct SriovSpec {
  std::uint32_t vfs = 0;
  bool passthrough = false;
  SourceRange range;
};

// Selects a card of the node; at most one of these is set.
struct AdapterSelector {
  Sourced<std::string> pci, node_guid, mac, serial;
  bool empty() const {
    return pci.value.empty() && node_guid.value.empty() && mac.value.empty() &&
           serial.value.empty();
  }
};

struct AdapterSpec {
  std::string name;
  SourceRange range;                        // place of its key
  Sourced<std::string> model;               // the document's text
  const HardwareModel* hardware = nullptr;  // null if `model` is unknown (then a diagnostic exists)
  Sourced<std::uint32_t> ports;             // the model's number if not given
  AdapterSelector selector;
  FirmwareSpec firmware;
  std::optional<SriovSpec> sriov;
  std::map<std::uint32_t, Sourced<std::string>> names;       // port number to interface name
  std::map<std::uint32_t, Sourced<std::string>> port_guids;  // by port number
};

struct OsSpec {
  Sourced<std::string> release, minimum;
};
struct SoftwareSpec {
  Sourced<std::string> stack, minimum, mft;
  std::vector<Sourced<std::string>> bundles;
};
struct HooksSpec {
  Sourced<std::vector<std::string>> before_disruption, after_disruption;  // argument vectors
  Sourced<Duration> timeout;   // 10 min by default, for each hook
  Sourced<bool> hosts_only{};  // at the top level: for hosts, not for switches
  bool empty() const { return before_disruption.value.empty() && after_disruption.value.empty(); }
};
// A key of the document by its place in the grammar: "nodes.*.adapters.*.names" (as KeyRow), once
// for each value. Values without effect are left out: `false`, "auto", an empty list.
struct WrittenKey {
  std::string key, value;  // `value`: that of a scalar, else ""
  SourceRange range;       // place of the scalar or first item, or of a key with keys below
  bool is_own = false;     // given at the node or network itself, not by defaults or a profile
};
using WrittenKeys = std::vector<WrittenKey>;

struct MlagSpec {
  Sourced<std::string> domain, peer;
  std::vector<Sourced<std::string>> ipl;
  // "" = derived: the system address of LACP for both, the peer's address beside the link.
  Sourced<std::string> system_mac{}, backup{};
  Sourced<std::string> vip{};      // "192.0.2.82/24" of the management network, for the pair
  Sourced<std::uint32_t> vlan{};   // VLAN of the peer link; 0 = the switch's own, else 4000
  Sourced<std::string> address{};  // "10.0.0.1/30" of this switch on that link; "" = derived
  Sourced<std::string> by{};       // "evpn": no pair, bonds are shared by Ethernet segments
  // Local ids of segments: by a port of the bond as written, and that of the bond at port 1.
  std::map<std::string, Sourced<std::string>> segments{};
  Sourced<std::uint32_t> segment{};

  bool by_evpn() const { return by.value == "evpn"; }
};

// The VLAN of the link between the two switches of a pair; 4000 if `vlan` is not given.
inline std::uint32_t link_vlan(const MlagSpec& mlag) {
  constexpr std::uint32_t kUsualVlan = 4000;
  return mlag.vlan.value == 0 ? kUsualVlan : mlag.vlan.value;
}

struct NodeSpec {
  explicit NodeSpec(NodeName node_name) : name{std::move(node_name)} {}

  NodeName name;
  SourceRange range;             // place of its key, or of that of its node set
  Sourced<std::string> address;  // management address; the node's name if not given
  Sourced<Platform> platform;
  std::vector<Sourced<std::string>> profiles;
  std::map<std::string, Sourced<std::string>> labels;
  Shared<SshSpec> ssh;
  std::optional<Sourced<std::uint32_t>> host_number;  // `host`, or the name's trailing digits
  Shared<std::vector<AdapterSpec>> adapters;          // in order of name
  Shared<OsSpec> os;
  Shared<SoftwareSpec> software;
  std::map<std::string, std::map<std::string, Sourced<std::string>>> modules;
  std::vector<Sourced<std::string>> packages;
  Sourced<NetworkBackend> network_backend;
  Sourced<bool> adopt;
  // Patterns (statement_pattern.hpp) of foreign statements that `adopt` may drop.
  std::vector<Sourced<std::string>> adopt_drops;
  std::map<std::string, Sourced<std::string>> sysctl;  // by sysctl_key()
  std::vector<Sourced<std::string>> tuning;
  Shared<HooksSpec> hooks;
  std::shared_ptr<const MlagSpec> mlag;   // null if the switch is in no pair
  Sourced<std::string> node_guid, model;  // for an unmanaged switch
  Sourced<std::uint32_t> mtu;             // MTU of a switch's Ethernet ports; 0 = their network's
  Sourced<std::string> proof;             // for a switch: as CableSpec::proof, for all its cables
  Sourced<std::string> system_name;       // the switch's own name; "" = `name`
  Sourced<NodeState> state;
  // True if settings of its cards that the document drops get their former values back.
  Sourced<bool> restore;
  Shared<WrittenKeys> written;

  const AdapterSpec* find_adapter(std::string_view adapter) const;
};

struct CableSpec {
  Sourced<PortRef> a, b;  // unordered; kept as in the document
  SourceRange range;      // place of the cable, or of its shorthand
  std::string label, length, type, speed;
  std::string proof{};  // "carrier": a link is enough; ""
};

struct RouteSpec {
  Sourced<std::string> to, via;
};

struct IpSpec {
  std::optional<Sourced<Subnet>> subnet;
  bool per_port = false;
  // The prefix length of the subnets of single cables within `subnet`; 0 = all ports share
  // `subnet`.
  std::uint32_t cable_prefix = 0;
  Sourced<std::string> gateway;
  std::vector<RouteSpec> routes;
  SourceRange range;
  // The addresses of each member port, allocated or given, first address first. `range` is the line
  // that gave it (the subnet's line for an allocated one).
  std::map<PortRef, std::vector<Sourced<IpAddress>>> addresses;

  // The prefix length of an address at its interface. REQUIRES: a subnet.
  std::uint32_t prefix_length() const {
    return cable_prefix != 0 ? cable_prefix : subnet->value.prefix_length();
  }
};

// One address for each host, whichever of its ports packets come by.
struct LoopbackSpec {
  SourceRange range;
  std::optional<Sourced<Subnet>> subnet;
  std::map<NodeName, Sourced<IpAddress>> addresses;  // `range`: that of the subnet
};

struct VlanSpec {
  std::string name;
  SourceRange range;
  Sourced<std::uint32_t> id;
  IpSpec ipv4;
  Sourced<std::string> partition;
  Sourced<std::string> tagging;
};

struct LagSpec {
  SourceRange range;
  Sourced<std::string> bond;      // "bond0"
  Sourced<std::string> policy;    // kernel name, also for a number: "802.3ad"
  Sourced<std::uint32_t> miimon;  // milliseconds; 100 if not given
  std::optional<Sourced<std::uint32_t>> updelay, downdelay, min_links;
  Sourced<std::string> lacp_rate, hash_policy, primary, ad_select;
  std::optional<Sourced<bool>> roce;
  Sourced<std::string> port_channel;
  Sourced<std::string> made_by;  // "vcenter": makes it on hosts with virtual switches; ""
};

struct QosSpec {
  SourceRange range;
  Sourced<std::string> trust;                    // "dscp" or "pcp"
  std::vector<Sourced<std::uint32_t>> lossless;  // priorities, 0 to 7; 3 if not given
  Sourced<std::uint32_t> roce_dscp, cnp_dscp;    // 26 and 48 if not given
  Sourced<bool> ecn;                             // true if not given
};
// The default priority of a DSCP at a port (E-qos-dscp-map).
inline std::uint32_t priority_of_dscp(std::uint32_t dscp) {
  return dscp / 8;
}

// Type of service for RDMA CM; its last two bits tell switches that they may mark the packet
// (E-qos-tos).
inline std::uint32_t type_of_service(const QosSpec& qos) {
  return qos.roce_dscp.value * 4 + (qos.ecn.value ? 2 : 0);
}

struct SubnetManagerPlacement {
  SourceRange range;
  Sourced<std::string> node;
  Sourced<std::string> port;       // "P" or "adapter/P" as written; "" if not given
  Sourced<std::int64_t> priority;  // 0 (lowest) to 15
};

struct SubnetManagerSpec {
  SourceRange range;
  Sourced<std::string> routing_engine, subnet_prefix, guid;
  Sourced<bool> virtualization, external;
  std::vector<Sourced<std::string>> roots, io;
  std::map<std::string, Sourced<std::string>> options;  // options of OpenSM's file, by name
};

struct PartitionMember {
  std::string who;  // NODE, ENDPOINT, ALL or SELF as written
  SourceRange range;
  Sourced<bool> full;
};

struct PartitionSpec {
  // Stands for a P_Key that is no number; the decoder has reported it.
  static constexpr std::int64_t kUnreadable = std::numeric_limits<std::int64_t>::min();

  std::string name;
  SourceRange range;
  Sourced<std::int64_t> pkey;  // the number as written, not reduced to 15 bits
  Sourced<bool> ipoib;
  Sourced<std::uint32_t> mtu;
  std::vector<PartitionMember> members;
};

struct IpoibSpec {
  SourceRange range;
  Sourced<std::string> mode;  // "datagram", "connected" or ""
  Sourced<std::uint32_t> mtu;
  IpSpec ipv4;
  std::vector<Sourced<PortRef>> ports;
  std::optional<Sourced<std::uint32_t>> uplinks;
  std::optional<LagSpec> bond;  // of a host's ports with IPoIB
};

struct NetworkSpec {
  std::string name;
  SourceRange range;  // place of its key
  Sourced<Mode> mode;
  Sourced<std::uint32_t> mtu;    // 0 = not given; IB MTU for infiniband, else IP MTU
  Sourced<std::string> vswitch;  // virtual switch on ESXi hosts; "" = none
  // VLAN of frames without a tag at managed switches; 0 = the bridge's.
  Sourced<std::uint32_t> access_vlan{};
  IpSpec ipv4, ipv6;
  std::optional<LoopbackSpec> loopback;
  Sourced<Transit> transit;
  Sourced<bool> restore;  // as NodeSpec::restore, for settings of this network
  std::vector<VlanSpec> vlans;
  std::vector<CableSpec> cables;
  // Place of the first end of a cable that names nothing, or of unreadable cables, which are left
  // out: errors of the wiring may follow from it. Unknown if every cable is there.
  SourceRange unread_end;
  std::vector<Sourced<PortRef>> ports;  // listed without a declared cable
  std::optional<LagSpec> lag;
  std::optional<QosSpec> qos;
  std::vector<SubnetManagerPlacement> subnet_managers;
  std::optional<SubnetManagerSpec> subnet_manager;
  std::vector<PartitionSpec> partitions;
  std::optional<IpoibSpec> ipoib;
  // The place of each key of the network, so that rules can judge keys of another mode.
  std::map<std::string, SourceRange> keys;
  Shared<WrittenKeys> written;

  // The ports of cables and of `ports`, each once, in order; switch ports included.
  std::vector<PortRef> member_ports() const;
};

struct RolloutSpec {
  SourceRange range;
  Sourced<std::uint32_t> max_unavailable;  // 1
  Sourced<std::string> per;
  std::vector<Sourced<std::string>> canary;
  // Nodes with plans::Permissions, in a plan that was signed or confirmed.
  std::vector<Sourced<std::string>> allow_no_rollback, allow_mgmt_path;
  Sourced<std::uint32_t> max_failures;  // 0
  Sourced<Duration> reboot_timeout;     // 15 min
  Sourced<Duration> confirm_timeout;    // 2 min
  Sourced<Duration> patience;           // 1 h
  Sourced<PathsLost> paths_lost;        // report
  Sourced<Redundancy> redundancy;       // report
  Sourced<std::vector<std::string>> reboot_command;
};

// One of two sides that must not reach each other.
struct IsolatedSide {
  // The side is `network`, `vlan` or `partition` if one is set, else `nodes` alone.
  std::string text;  // as in the document: "tenant=red", "n[1-4]", "compute", "compute/red"
  SourceRange range;
  std::vector<NodeName> nodes{};  // in order
  std::string network{}, vlan{}, partition{};
};
struct IsolatedPair {
  IsolatedSide a, b;
};

struct FabricSpec {
  Sourced<std::string> name;
  std::map<NodeName, NodeSpec> nodes;
  std::map<std::string, NetworkSpec> networks;
  std::vector<IsolatedPair> isolated;  // without pairs with unknown names
  RolloutSpec rollout;
  HooksSpec hooks;
  // Platforms whose machines can be asked over the network: those of the program's registry
  // (engine/platform/registry), put here by the loader; the document does not have them.
  std::set<Platform> reached{};

  const NodeSpec* find_node(std::string_view node_name) const;
};

// The bond of a host's ports in the network; null if each port is an interface of its own.
const LagSpec* lag_of(const NetworkSpec& network);
// True if hosts of the network forward from cable to cable, so that loopbacks are reached.
bool has_transit(const NetworkSpec& network);
// True if a carrier proves the cable, by its `proof` or that of a switch at its end.
bool carrier_proves(const FabricSpec& spec, const CableSpec& cable);
// The hooks of the node, else those of the document. An mlnx-os switch has its own hooks or none:
// it can't record that it is drained, so a run that dies would leave it so, and hooks of hosts have
// no work to move away from a switch.
const HooksSpec& hooks_of(const FabricSpec& spec, const NodeSpec& node);
// True if `node` is asked over the network. Only this function decides it.
bool is_reached(const FabricSpec& spec, const NodeSpec& node);
// True if another program makes the network on this host: fabric only sets the link types of its
// cards.
bool is_made_elsewhere(const NetworkSpec& network, const NodeSpec& node);
// True for a node known to be down: it is not contacted, it counts as down, and its cables are
// dark.
bool is_offline(const NodeSpec& node);
bool is_offline(const FabricSpec& spec, const NodeName& node);  // false if the node is unknown
// True for a machine that fabric could ask and that is not to be released, offline or not.
bool is_host_of_ours(const FabricSpec& spec, const NodeSpec& node);

}  // namespace fabric
