// SPDX-License-Identifier: Apache-2.0
// Description: a fabric as one source describes it, before it is a document. Any part may be
// missing: one format has cables and no cards, another one only addresses. "" and 0 are "unknown".
//
// Names of nodes are valid (NodeName), adapters and ports are spelled as in a document
// (description/names.hpp). All other texts are as the source has them, and may have any content:
// the writer quotes them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/value/value.hpp"

namespace fabric::description {

// How near to the hardware a source is: where two sources differ, the nearer one is taken.
enum class Nearness : std::uint8_t {
  names,      // of nodes by GUID: what a person calls them
  hosts,      // the nodes themselves
  subnet,     // a tool that read the subnet
  cabling,    // a list of cables
  scheduling  // a scheduler or an inventory
};

// The identity of a port in every source. Sources are joined by it; it is never written.
struct PortEvidence {
  std::string node_guid, port_guid;     // "0x0c42a10300700101"
  std::set<std::string> macs, devices;  // in lower case; interfaces and RDMA devices
  friend bool operator==(const PortEvidence&, const PortEvidence&) = default;
};

struct Adapter {
  std::string model;        // slug of the hardware table
  bool assumed = false;     // no source has the model: this one stands in
  std::uint32_t ports = 0;  // 1 or 2
  std::string pci, node_guid, mac;
  std::map<std::uint32_t, std::string> names;      // of interfaces, by port
  std::uint32_t vfs = 0;                           // virtual functions
  std::string serial;                              // never written
  std::map<std::uint32_t, PortEvidence> evidence;  // by port
  friend bool operator==(const Adapter&, const Adapter&) = default;
};

// A switch's membership in an MLAG pair.
struct Mlag {
  std::string domain, peer;
  std::vector<std::string> ipl;
  std::string system_mac, backup, vip, address;
  std::uint32_t vlan = 0;
  std::map<std::string, std::string> segments;  // by EVPN, without a pair: ids of bonds by port
};

struct Node {
  bool is_switch = false;
  bool named = true;       // false: it stands under its GUID, for want of a name
  bool all_cards = false;  // the source of its cards has all of them
  std::string platform;    // as the document writes it; a switch without one is unmanaged
  std::string address, user;
  std::uint32_t ssh_port = 0;
  std::string identity_file, jump, become;  // as the document's `ssh` has them
  std::string model, node_guid;             // of a switch
  std::map<std::string, std::string> labels;
  std::map<std::string, Adapter> adapters;
  std::map<std::string, std::string> sysctl;
  // For each driver: its options.
  std::map<std::string, std::map<std::string, std::string>> modules;
  std::vector<Mlag> mlag;  // at most one
  bool adopt = false;
  std::string state;  // "observe": read and never written
  // What other sources call it. Never written: sources are joined by it.
  std::set<std::string> aliases;
  // Ports with a link, "cx5/1" or "swp1", each with its access VLAN on a switch; 0 = none is known.
  std::map<std::string, std::uint32_t> linked;
  std::vector<std::string> notes;  // what is uncertain of it
};

// A port by its name in a document. `adapter` is "" on a switch.
struct End {
  std::string node, adapter, port;
  friend auto operator<=>(const End&, const End&) = default;
};

struct Cable {
  End a, b;
  std::string label{}, length{}, type{}, speed{};
};

// Addresses of a network, in the order of the document's ports.
struct Addresses {
  std::string subnet;
  bool per_port = false, per_cable = false;
  std::uint32_t prefix = 0;  // of each cable's subnet, where it is not the usual one
  std::string gateway;
  std::vector<std::pair<std::string, std::string>> routes{};  // to, via
  std::map<End, std::string> of;  // by port; of a node as a whole where adapter and port are ""
};

struct Lag {
  std::string bond, policy, lacp_rate, hash_policy, primary, ad_select;
  std::uint32_t miimon = 0, updelay = 0, downdelay = 0, min_links = 0;
  std::optional<bool> roce{};
  std::string port_channel{};  // how switches have it: "lacp", "static"
};

struct Vlan {
  std::uint32_t id = 0;
  Addresses ipv4;
};

struct Ipoib {
  std::string mode;
  std::uint32_t mtu = 0;
  Addresses ipv4;
  std::vector<End> ports;  // ports that have the VLAN; none: all of the network
};

// The port that a subnet manager of fabric runs on.
struct Manager {
  End at;
  std::int64_t priority = 0;
};

// A member of a P_Key: a keyword of OpenSM, or the port or node in `at`.
struct PartitionMember {
  std::string keyword;  // "ALL", "SELF"; "" = `at`
  End at;               // of a node as a whole where adapter and port are ""
  std::string how;      // "full", "limited"
};
struct Partition {
  std::string name;
  std::uint32_t pkey = 0;
  bool ipoib = false;
  std::uint32_t mtu = 0;
  std::vector<PartitionMember> members;
};

struct Network {
  std::string mode;
  std::uint32_t mtu = 0;
  std::string vswitch;
  std::uint32_t access_vlan = 0;
  bool external_manager = false;  // a subnet manager that fabric does not start
  std::vector<Manager> managers;
  std::string routing_engine, subnet_prefix;
  bool virtualization = false;
  Map manager_options;             // others of OpenSM's file
  std::vector<std::string> roots;  // names of switches
  std::vector<Partition> partitions;
  Addresses ipv4, ipv6;
  std::string loopback;  // the subnet of one address a host
  bool transit = false;  // hosts forward by routes that follow from the cables
  std::vector<Cable> cables;
  std::vector<End> ports;  // in the network, no cable known
  std::map<std::string, Vlan> vlans;
  std::vector<Lag> lag;      // at most one
  std::vector<Ipoib> ipoib;  // at most one
  std::vector<std::string> notes;
};

struct Description {
  std::map<std::string, Node> nodes;
  std::map<std::string, Network> networks;
  std::map<std::string, std::string> names_by_guid;  // what a person calls nodes of a subnet
  bool of_subnet = false;  // as a tool saw it: without addresses, IPoIB and partitions
  // What was left out, and what is uncertain of the whole.
  std::vector<std::string> notes;
};

}  // namespace fabric::description
