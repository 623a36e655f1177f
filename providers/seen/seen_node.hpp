// SPDX-License-Identifier: Apache-2.0
// Facts of one host for a document: its cards, and its ports with all that runs on them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/description/description.hpp"
#include "engine/platform/neighbour.hpp"

namespace fabric::providers {

struct SeenVlan {
  std::string name;  // by what fabric wrote, else of its interface
  std::uint32_t id = 0;
  std::string address;
};

// A port of a card that is in use. Unknown texts are "".
struct SeenPort {
  description::End end;
  std::string device;      // of its interface
  std::string mode;        // the mode of its network
  std::string network;     // by what fabric wrote on the node
  std::int64_t mtu = 0;    // of the interface that has the address
  bool mtu_is_set = true;  // false: fabric's own file leaves it to the system
  std::string address;     // "10.30.0.1/24", of the port or of its bond
  std::string address6;    // "fd00::1/64", the same
  std::string loopback;    // "10.41.0.1/32", beside it: the host's own
  bool transit = false;    // fabric's own file lets incoming packets be forwarded
  std::string gateway, gateway6;
  std::vector<std::pair<std::string, std::string>> routes, routes6;  // to, via
  std::string ipoib_mode;                                            // of an InfiniBand port
  std::optional<description::Lag> lag;
  std::string vswitch;  // the virtual switch whose uplink it is
  std::vector<SeenVlan> vlans;
  std::vector<std::string> macs;  // in use, and burnt in
  std::string port_guid;
};

// A partition of a subnet manager. `who`: "ALL", "SELF", or the GUID of a port.
struct SeenPartition {
  std::string name;
  std::uint32_t pkey = 0;
  bool ipoib = false;
  std::uint32_t mtu = 0;  // an IB MTU; 0: unknown
  std::vector<std::pair<std::string, std::string>>
      members{};  // the member, and its membership: "full"
};

struct SeenManager {
  std::string network;
  bool of_switch = false;  // then the network is the one that its ports are in
  description::Manager manager;
  std::uint32_t mtu = 0;  // of its partition, as an IB MTU; 0: unknown
  std::string routing_engine, subnet_prefix;
  bool virtualization = false;
  Map options;                          // others of OpenSM's file
  std::vector<std::string> root_guids;  // of switches
  // The partitions; none where every port is only in the default partition.
  std::vector<SeenPartition> partitions;
  std::vector<std::string> notes;  // facts that no document can have
};

// A port of a switch, as the document names it.
struct SeenSwitchPort {
  std::string port;
  bool infiniband = false, has_link = false;
  std::string channel;            // how its channel is made: "lacp", "static"; "" = it is in none
  std::uint32_t access_vlan = 0;  // the VLAN of untagged frames; 0 = the default one
};

struct SeenNode {
  std::string name;
  description::Node node;
  std::vector<SeenPort> ports;
  std::vector<SeenSwitchPort> switch_ports;
  std::vector<SeenManager> managers;
  std::vector<Neighbour> neighbours;  // of all its interfaces
};

}  // namespace fabric::providers
