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
// Whether hosts of a network forward what is not theirs: `by_static`, by routes that follow from
// the cables; `by_frr`, by a routing protocol.
enum class Transit : std::uint8_t { none, by_static, by_frr };
// `offline`: known to be down.
enum class NodeState : std::uint8_t { managed, observe, absent, offline };
// The policy for a wave that cuts all paths between two nodes outside of it: it is reported, the
// operator has to agree, or it is held back.
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

// The spelling of the document: "auto", ...
std::string_view to_string(Mode mode);
std::string_view to_string(Transit transit);
std::string_view to_string(NodeState state);
std::string_view to_string(PathsLost policy);
std::string_view to_string(Redundancy policy);
std::string_view to_string(NetworkBackend backend);

// Where a password comes from; the password itself is never in the document. What the document
// names takes effect only where the operator trusts the document.
struct PasswordSource {
  std::string environment_variable;
  std::vector<std::string> command;
  SourceRange range{};  // of the variable or the command
};

struct SshSpec {
  Sourced<std::string> user;    // "" = ssh config, then the local user
  Sourced<std::uint32_t> port;  // 0 = ssh config, then 22
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
  // value "default" = nullopt
  std::map<std::string, Sourced<std::optional<std::string>>> params;
  Sourced<std::string> image;
  Sourced<std::string> psid;
  Sourced<bool> recovery_mode;  // may be used where the tools do not see the card (ESXi)
  SourceRange range;
};

struct SriovSpec {
  std::uint32_t vfs = 0;
  bool passthrough = false;
  SourceRange range;
};

// At most one is set.
struct AdapterSelector {
  Sourced<std::string> pci, node_guid, mac, serial;
  bool empty() const {
    return pci.value.empty() && node_guid.value.empty() && mac.value.empty() &&
           serial.value.empty();
  }
};

struct AdapterSpec {
  std::string name;
  SourceRange range;                        // of its key
  Sourced<std::string> model;               // as written
  const HardwareModel* hardware = nullptr;  // null if `model` is unknown (then a diagnostic exists)
  Sourced<std::uint32_t> ports;             // of the model where left out
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
  Sourced<Duration> timeout;                                              // 10 min, of each
  Sourced<bool> hosts_only{};  // at the top level: switches have their own alone
  bool empty() const { return before_disruption.value.empty() && after_disruption.value.empty(); }
};
// A key that the document has, by its place in the grammar: "nodes.*.adapters.*.names" (as KeyRow),
// once for each value. Values without effect are left out: `false`, "auto", an empty list.
struct WrittenKey {
  std::string key, value;  // of a scalar; else ""
  SourceRange range;       // of the scalar or the first item; of the key where there are keys below
  bool is_own = false;     // not from defaults or a profile
};
using WrittenKeys = std::vector<WrittenKey>;

struct MlagSpec {
  Sourced<std::string> domain, peer;
  std::vector<Sourced<std::string>> ipl;
  // "" = derived: the address by which both speak LACP, the peer's address beside the link.
  Sourced<std::string> system_mac{}, backup{};
  Sourced<std::string> vip{};     // "192.0.2.82/24": of the management network, for the pair as one
  Sourced<std::uint32_t> vlan{};  // of the link between the two; 0 = the switch's own, else 4000
  Sourced<std::string> address{};  // "10.0.0.1/30": of this switch on that link; "" = the same
  Sourced<std::string> by{};       // "evpn": bonds are shared without a pair, by Ethernet segments
  // Local ids of segments: of the bonds with these ports as written, and of the one at port 1.
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
  SourceRange range;             // of its key (of the set it came from)
  Sourced<std::string> address;  // management address; the node's own name where left out
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
  // Patterns (statement_pattern.hpp) of what may be lost by that.
  std::vector<Sourced<std::string>> adopt_drops;
  std::map<std::string, Sourced<std::string>> sysctl;  // by sysctl_key
  std::vector<Sourced<std::string>> tuning;
  Shared<HooksSpec> hooks;
  std::shared_ptr<const MlagSpec> mlag;   // null if it is in no pair
  Sourced<std::string> node_guid, model;  // unmanaged switch
  Sourced<std::uint32_t> mtu;             // of the Ethernet ports of a switch; 0 = their network's
  Sourced<std::string> proof;             // of a switch: as that of a cable
  Sourced<std::string> system_name;       // of a switch: its own name; "" = `name`
  Sourced<NodeState> state;
  // Settings of its cards that the document drops get their former values.
  Sourced<bool> restore;
  Shared<WrittenKeys> written;

  const AdapterSpec* find_adapter(std::string_view adapter) const;
};

struct CableSpec {
  Sourced<PortRef> a, b;  // unordered; kept in order of writing
  SourceRange range;      // of the cable, or of the shorthand that made it
  std::string label, length, type, speed;
  std::string proof{};  // "carrier": a link is enough; ""
};

struct RouteSpec {
  Sourced<std::string> to, via;
};

struct IpSpec {
  std::optional<Sourced<Subnet>> subnet;
  bool per_port = false;
  // Each cable has a subnet of its own, of this prefix length, within `subnet`; 0 = all ports share
  // `subnet`.
  std::uint32_t cable_prefix = 0;
  Sourced<std::string> gateway;
  std::vector<RouteSpec> routes;
  SourceRange range;
  // Allocated or written addresses, per member port, first address first. `range` is the line that
  // gave it (the subnet's line for an automatic one).
  std::map<PortRef, std::vector<Sourced<IpAddress>>> addresses;

  // The prefix length of an address at its interface. REQUIRES: a subnet.
  std::uint32_t prefix_length() const {
    return cable_prefix != 0 ? cable_prefix : subnet->value.prefix_length();
  }
};

// One address a host, whichever of its ports packets come by.
struct LoopbackSpec {
  SourceRange range;
  std::optional<Sourced<Subnet>> subnet;
  std::map<NodeName, Sourced<IpAddress>> addresses;  // `range`: of the subnet
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
  Sourced<std::string> policy;    // kernel name, numbers already translated: "802.3ad"
  Sourced<std::uint32_t> miimon;  // milliseconds; 100 where left out
  std::optional<Sourced<std::uint32_t>> updelay, downdelay, min_links;
  Sourced<std::string> lacp_rate, hash_policy, primary, ad_select;
  std::optional<Sourced<bool>> roce;
  Sourced<std::string> port_channel;
  Sourced<std::string> made_by;  // "vcenter": what makes it on hosts with virtual switches; ""
};

struct QosSpec {
  SourceRange range;
  Sourced<std::string> trust;                    // "dscp" or "pcp"
  std::vector<Sourced<std::uint32_t>> lossless;  // priorities, 0 to 7; 3 where left out
  Sourced<std::uint32_t> roce_dscp, cnp_dscp;    // 26 and 48 where left out
  Sourced<bool> ecn;                             // true where left out
};
// The default of a port (E-qos-dscp-map).
inline std::uint32_t priority_of_dscp(std::uint32_t dscp) {
  return dscp / 8;
}

// Type of service of RDMA CM; its last two bits tell switches that they may mark the packet
// (E-qos-tos).
inline std::uint32_t type_of_service(const QosSpec& qos) {
  return qos.roce_dscp.value * 4 + (qos.ecn.value ? 2 : 0);
}

struct SubnetManagerPlacement {
  SourceRange range;
  Sourced<std::string> node;
  Sourced<std::string> port;       // "P" or "adapter/P" as written; "" where left out
  Sourced<std::int64_t> priority;  // 0 (lowest) to 15
};

struct SubnetManagerSpec {
  SourceRange range;
  Sourced<std::string> routing_engine, subnet_prefix, guid;
  Sourced<bool> virtualization, external;
  std::vector<Sourced<std::string>> roots, io;
  std::map<std::string, Sourced<std::string>> options;  // of OpenSM's file, by name
};

struct PartitionMember {
  std::string who;  // NODE, ENDPOINT, ALL or SELF as written
  SourceRange range;
  Sourced<bool> full;
};

struct PartitionSpec {
  // A P_Key that is no number; the decoder has reported it.
  static constexpr std::int64_t kUnreadable = std::numeric_limits<std::int64_t>::min();

  std::string name;
  SourceRange range;
  Sourced<std::int64_t> pkey;  // as written, not reduced to 15 bits
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
  std::optional<LagSpec> bond;  // of the ports of a host that have IPoIB
};

struct NetworkSpec {
  std::string name;
  SourceRange range;  // of its key
  Sourced<Mode> mode;
  Sourced<std::uint32_t> mtu;    // 0 = not given; IB MTU for infiniband, IP MTU elsewhere
  Sourced<std::string> vswitch;  // on ESXi hosts; "" = none
  // VLAN of frames without a tag at managed switches; 0 = that of the bridge.
  Sourced<std::uint32_t> access_vlan{};
  IpSpec ipv4, ipv6;
  std::optional<LoopbackSpec> loopback;
  Sourced<Transit> transit;
  Sourced<bool> restore;  // as that of a node, of what this network asks of cards
  std::vector<VlanSpec> vlans;
  std::vector<CableSpec> cables;
  // The first end of a cable that names nothing, or cables that can't be read, so that they are
  // left out: what is wrong with the wiring then may follow from it. Unknown if every cable is
  // there.
  SourceRange unread_end;
  std::vector<Sourced<PortRef>> ports;  // listed without a declared cable
  std::optional<LagSpec> lag;
  std::optional<QosSpec> qos;
  std::vector<SubnetManagerPlacement> subnet_managers;
  std::optional<SubnetManagerSpec> subnet_manager;
  std::vector<PartitionSpec> partitions;
  std::optional<IpoibSpec> ipoib;
  // Where each key of the network stands, so that rules can judge keys of another mode.
  std::map<std::string, SourceRange> keys;
  Shared<WrittenKeys> written;

  // Ports of cables and of `ports`, each once, in order; switch ports included.
  std::vector<PortRef> member_ports() const;
};

struct RolloutSpec {
  SourceRange range;
  Sourced<std::uint32_t> max_unavailable;  // 1
  Sourced<std::string> per;
  std::vector<Sourced<std::string>> canary;
  // Nodes to which plans::Permissions are granted, in a plan that was signed or said yes to.
  std::vector<Sourced<std::string>> allow_no_rollback, allow_mgmt_path;
  Sourced<std::uint32_t> max_failures;  // 0
  Sourced<Duration> reboot_timeout;     // 15 min
  Sourced<Duration> confirm_timeout;    // 2 min
  Sourced<Duration> patience;           // 1 h
  Sourced<PathsLost> paths_lost;        // report
  Sourced<Redundancy> redundancy;       // report
  Sourced<std::vector<std::string>> reboot_command;
};

// One of two that must not reach each other.
struct IsolatedSide {
  // A network, or one of its VLANs or partitions; else the nodes alone.
  std::string text;  // as written: "tenant=red", "n[1-4]", "compute", "compute/red"
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
  std::vector<IsolatedPair> isolated;  // that all names of are known
  RolloutSpec rollout;
  HooksSpec hooks;
  // Platforms whose machines can be asked over the network: those of the program's registry
  // (engine/platform/registry), which the loader of a document puts here. The document itself has
  // none.
  std::set<Platform> reached{};

  const NodeSpec* find_node(std::string_view node_name) const;
};

// The bond that the ports of a host form in the network; null: each is an interface of its own.
const LagSpec* lag_of(const NetworkSpec& network);
// Hosts of the network forward from cable to cable, so that loopbacks are reached.
bool has_transit(const NetworkSpec& network);
// The document says of the cable, or of a switch at its end, that a carrier proves it.
bool carrier_proves(const FabricSpec& spec, const CableSpec& cable);
// The hooks of the node, else those of the document. An mlnx-os switch has its own hooks or none:
// nothing can be noted there, so a run that dies would leave it drained, and hooks of hosts have no
// work to move away from a switch.
const HooksSpec& hooks_of(const FabricSpec& spec, const NodeSpec& node);
// Whether `node` is asked over the network. The one place that decides it.
bool is_reached(const FabricSpec& spec, const NodeSpec& node);
// Another program makes the network on this host, which has nothing of it from fabric but the link
// types of its cards.
bool is_made_elsewhere(const NetworkSpec& network, const NodeSpec& node);
// Known to be down: it is not contacted, it counts as down, and its cables are dark.
bool is_offline(const NodeSpec& node);
bool is_offline(const FabricSpec& spec, const NodeName& node);  // false if there is none
// A machine that could be asked and is ours to describe, offline or not: not to be released.
bool is_host_of_ours(const FabricSpec& spec, const NodeSpec& node);

}  // namespace fabric
