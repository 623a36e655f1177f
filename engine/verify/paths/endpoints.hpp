// SPDX-License-Identifier: Apache-2.0
// The addresses that can be pinged in a network: every address of a host, and the interface by
// which its packets leave.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/discovery/evidence.hpp"

namespace fabric::verify {

// The MTU of an Ethernet network whose document gives none, in bytes.
inline constexpr std::uint32_t kDefaultMtu = 1500;

struct Endpoint {
  std::vector<PortRef> ports;  // the ports of the address: one, or all of a bond, in order
  std::string device;          // interface: "ens1", "bond0", "bond0.100", "ib0"; "" = unknown
  std::string address;
  std::uint32_t mtu = 0;  // the IP MTU that must pass, in bytes; 0 = unknown

  const PortRef& port() const { return ports.front(); }
  const NodeName& node() const { return ports.front().node; }
  bool is_ipv6() const { return address.find(':') != std::string::npos; }
};

enum class Hosts : std::uint8_t { reached, all };

// The endpoints of the network itself (`vlan` = "") or of one of its VLANs, in order of port, IPv4
// before IPv6 of ports that have both. A bond is there whether or not its node has it, for it has
// to be. In mode infiniband: IPoIB of the ports, and no VLAN.
std::vector<Endpoint> endpoints(
    const FabricSpec& spec,
    const NetworkSpec& network,
    const discovery::Evidence& evidence,
    const std::string& vlan = {},
    Hosts hosts = Hosts::reached);

// Finds the endpoints of paths of networks other than chains.
class Ends {
 public:
  // The arguments must outlive this object.
  Ends(const FabricSpec& spec, const discovery::Evidence& evidence)
      : spec_{spec}, evidence_{evidence} {}
  // Returns null if there is no such network, or if it has no such address to ping.
  const Endpoint* find(const std::string& network, const std::string& vlan, const PortRef& port);

 private:
  const FabricSpec& spec_;
  const discovery::Evidence& evidence_;
  // The endpoints of each network and VLAN, by port.
  std::map<std::pair<std::string, std::string>, std::map<PortRef, Endpoint>> known_;
};

// True for a port of a host that fabric configures: Linux, and not to be released.
bool is_host(const FabricSpec& spec, const PortRef& port);

// For each node: its ports of the network on hosts that fabric configures, in order.
std::map<NodeName, std::vector<PortRef>> host_ports_by_node(
    const FabricSpec& spec, const NetworkSpec& network);

// True if the node was asked and its bond of the network is not there.
bool is_missing_bond(
    const NetworkSpec& network, const NodeName& node, const discovery::Evidence& evidence);

// The IP settings of the network (`vlan` = "") or of one of its VLANs.
std::vector<const IpSpec*> families_of(const NetworkSpec& network, const std::string& vlan = {});
// The first address of one of the ports, IPv4 before IPv6; null if none has one.
const IpAddress* address_of(
    const std::vector<const IpSpec*>& families, const std::vector<PortRef>& ports);

}  // namespace fabric::verify
