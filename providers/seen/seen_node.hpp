// SPDX-License-Identifier: Apache-2.0
// What the facts of one host say that a document could say: its cards, and its ports with all that
// runs on them.
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

// A port of a card that is in use. Texts that nothing told are "".
struct SeenPort {
  description::End end;
  std::string device;    // of its interface
  std::string mode;      // of the network that it is in
  std::string network;   // by what fabric wrote on the node
  std::int64_t mtu = 0;  // of the interface that has the address
  std::string address;   // "10.30.0.1/24", of the port or of its bond
  std::string address6;  // "fd00::1/64", the same
  std::string gateway, gateway6;
  std::vector<std::pair<std::string, std::string>> routes, routes6;  // to, via
  std::string ipoib_mode;                                            // of an InfiniBand port
  std::optional<description::Lag> lag;
  std::vector<SeenVlan> vlans;
  std::vector<std::string> macs;  // in use, and burnt in
  std::string port_guid;
};

// A partition as its manager has it. `who`: "ALL", "SELF", or the GUID of a port.
struct SeenPartition {
  std::string name;
  std::uint32_t pkey = 0;
  bool ipoib = false;
  std::uint32_t mtu = 0;  // an IB MTU; 0: not told
  std::vector<std::pair<std::string, std::string>>
      members{};  // the member, and its membership: "full"
};

struct SeenManager {
  std::string network;
  description::Manager manager;
  std::uint32_t mtu = 0;  // of its partition, as an IB MTU; 0: not told
  std::string routing_engine, subnet_prefix;
  bool virtualization = false;
  Map options;                          // others of OpenSM's file
  std::vector<std::string> root_guids;  // of switches
  // None where every port is in the default partition alone.
  std::vector<SeenPartition> partitions;
  std::vector<std::string> notes;  // what no document could say of it
};

struct SeenNode {
  std::string name;
  description::Node node;
  std::vector<SeenPort> ports;
  std::vector<SeenManager> managers;
  std::vector<Neighbour> neighbours;  // of all its interfaces
};

}  // namespace fabric::providers
