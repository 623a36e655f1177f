// SPDX-License-Identifier: Apache-2.0
// The network of a node as its platform reads it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/address.hpp"
#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"

namespace fabric {

// A network device of a node with hardware, as its system shows it.
struct NetDevice {
  std::string name;
  std::optional<PciAddress> pci;
  std::uint32_t dev_port = 0;  // 0-based port behind one PCI function (mlx4)
  std::optional<MacAddress> mac;
  // Unknown while the device is set down: then it shows none.
  std::optional<bool> carrier;
  std::string operstate;                   // "up", "down", ...; "" = unknown
  std::optional<std::int64_t> speed_mbps;  // unknown without a link
  std::optional<std::int64_t> mtu;
  // "p0", "pf0vf0", and the switch inside of the card with this port (uplink.hpp).
  std::string phys_port_name{}, phys_switch_id{};
  // The forward error correction in use at a port of a switch, in the switch's words; "" = unknown.
  std::string fec{};
};

}  // namespace fabric

namespace fabric::platform {

// The path of our own session on a node: the interfaces that carry it.
struct SessionPath {
  // Why the interfaces that carry the session are unknown: "no route leads back to 192.0.2.1". Then
  // every interface may be one of them, whatever `devices` has. "" = they are known.
  std::string unknown = "its platform can't tell";
  std::string client;             // "192.0.2.1"; "" = not known
  std::string device;             // the interface that has the route back
  std::set<std::string> devices;  // that one and all interfaces beneath it
  // The routes by `device` in the main table; 0.0.0.0/0 is the default route. Empty = unknown.
  std::vector<Subnet> routes;
};

// Reads the path from the node's facts.
using SessionReader = SessionPath (*)(const NodeFacts& facts);

// The settings by which a host chooses the interface to send by, and its answers there: its
// addresses, its routes in their order, its rules by source.
struct InterfaceAddress {
  IpAddress address;
  Subnet subnet;
};

struct RoutedInterface {
  bool up = false;
  std::optional<bool> carrier;
  std::vector<InterfaceAddress> addresses;  // IPv4, in the kernel's order
  // The value in force, of `all` and of the interface itself.
  std::uint32_t arp_ignore = 0, rp_filter = 0;
  bool ignores_linkdown = false;
};

// A route to a subnet on the link itself.
struct LinkRoute {
  Subnet to;
  std::string interface;
  std::uint32_t table = 0;  // 0 = main
  std::uint32_t metric = 0;
};

struct RuleBySource {
  IpAddress from;
  std::uint32_t table = 0;
};

struct HostRouting {
  std::map<std::string, RoutedInterface, std::less<>> interfaces;
  std::vector<LinkRoute> routes;  // the first of equal ones counts
  std::vector<RuleBySource> rules;
  // True if it forwards IPv4 between any two interfaces; nullopt: not read.
  std::optional<bool> forwards{};
};

// Reads the routing from the host's facts; nullopt if they don't have it.
using RoutingReader = std::optional<HostRouting> (*)(const NodeFacts& facts);

}  // namespace fabric::platform
