// SPDX-License-Identifier: Apache-2.0
// WireEnd: the cables' view of a simulated machine: its ports, the frames that it sends and takes,
// its addresses, the subnet managers and bonds at its ports.
//
// A host has adapters, and its ports are theirs: (index of the card, number of the port from 1). A
// switch has none: its ports are known by name, each exists while a cable is in it, and what comes
// in at one goes out at all others. Everything but name, power and cards has a default: a host that
// has no interface in use, a switch that does nothing by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/node_name.hpp"
#include "engine/lab/card/card.hpp"
#include "engine/lab/machine/ip_prefix.hpp"
#include "engine/lab/machine/network.hpp"
#include "engine/lab/machine/partitions.hpp"

namespace fabric::lab {

struct Frame {
  std::string source;       // MAC
  std::string destination;  // MAC, "" = broadcast
  std::uint32_t bytes = 0;  // of the IP packet
  std::uint32_t vlan = 0;   // 0: no tag; with IPoIB the P_Key without bit 15, 0: the default one
  bool infiniband = false;  // of IPoIB: set by its sender
};

// The ports by which a frame leaves, and its tag.
struct Egress {
  struct Port {
    std::size_t card = 0;
    std::uint32_t port = 1;
    bool infiniband = false;
  };
  std::vector<Port> ports;
  std::uint32_t vlan = 0;
};

// The interface that takes an incoming frame.
struct Ingress {
  std::uint32_t interface = 0;  // the machine's own number for it
  std::string mac;
};

// The way of a machine to an address.
struct IpPath {
  std::uint32_t interface = 0;  // the machine's own number for it; 0: by none
  std::string mac, source;      // of the packet
  std::uint32_t mtu = 0;
  bool management = false;  // over the network that all boards are on, outside the fabric
  std::string via{};        // the next hop; "" = the target is on the link
};

struct Device {
  std::optional<std::size_t> card;  // none: a bond, a VLAN, the board's own port
  std::uint32_t gbps = 0;
};

// A subnet manager that runs on a port, with or without a link.
struct ManagerOffer {
  std::uint64_t guid = 0;  // of the port
  std::uint32_t priority = 0;
};

// One port of a switch.
struct SwitchPort {
  bool enabled = true;
  // Ports with the same number are one channel.
  std::optional<std::uint32_t> channel;
  std::optional<LacpPartner> lacp;  // its LACP frames
  std::optional<LldpSender> lldp;   // the same
  bool forwards = true;             // frames that come in there go out elsewhere
  std::uint32_t mtu = 65'535;       // bytes of the longest IP packet
  // The VLAN tags that it carries; none: all. It always carries untagged frames.
  std::optional<std::set<std::uint32_t>> vlans{};
  std::uint32_t untagged = 1;  // the VLAN of untagged frames
  // An address of a routed port: the switch routes between such ports.
  std::optional<IpPrefix> address{};
  std::string mac{};
};

class WireEnd {
 public:
  virtual ~WireEnd() = default;

  virtual const NodeName& name() const = 0;
  // True if its system runs: otherwise no port has a carrier.
  virtual bool powered() const = 0;
  virtual std::vector<Card>& cards() = 0;
  virtual const std::vector<Card>& cards() const = 0;

  // For a switch. nullopt: it is none, or the document decides about the port's channel.
  virtual bool is_switch() const { return false; }
  virtual std::optional<SwitchPort> switch_port(std::string_view /*port*/) const {
    return std::nullopt;
  }

  // For a host's port. nullopt: it does not send that protocol.
  virtual std::optional<LldpSender> lldp(std::size_t /*card*/, std::uint32_t /*port*/) const {
    return std::nullopt;
  }
  virtual std::optional<LacpPartner> lacp_offer(
      std::size_t /*card*/, std::uint32_t /*port*/) const {
    return std::nullopt;
  }
  virtual std::optional<ManagerOffer> manager_on(
      std::size_t /*card*/, std::uint32_t /*port*/) const {
    return std::nullopt;
  }
  // The partitions of the manager in manager_on().
  virtual PartitionRules partitions_of(std::size_t /*card*/, std::uint32_t /*port*/) const {
    return {};
  }
  // For a switch: its own node GUID, 0 = the document's or a made-up one; and its subnet manager,
  // which has the same GUID.
  virtual std::uint64_t node_guid() const { return 0; }
  virtual std::optional<std::uint32_t> manager_priority() const { return std::nullopt; }
  virtual PartitionRules own_partitions() const { return {}; }
  // The node description in the subnet: "pve1 mlx5_0".
  virtual std::string node_description(std::size_t /*card*/, std::uint32_t /*port*/) const {
    return name().str();
  }

  // The longest IP packet in bytes that a host may send by the port, for any interface on it;
  // nullopt: it sends none.
  virtual std::optional<std::uint32_t> sends_up_to(
      std::size_t /*card*/, std::uint32_t /*port*/) const {
    return std::nullopt;
  }

  // `interface` is a number from path_to() or ingress().
  virtual Egress egress(
      const Network& /*network*/, std::uint32_t /*interface*/, const Frame& /*frame*/) const {
    return {};
  }
  // nullopt: the machine does not take the frame.
  virtual std::optional<Ingress> ingress(
      const Network& /*network*/,
      std::size_t /*card*/,
      std::uint32_t /*port*/,
      const Frame& /*frame*/) const {
    return std::nullopt;
  }

  // `device` "" = by any route; `source` "" = the packet has no source yet.
  virtual IpPath path_to(
      const Network& /*network*/,
      const IpPrefix& /*target*/,
      std::string_view /*device*/,
      std::string_view /*source*/) const {
    return {};
  }
  // The way of a packet that came in by `interface` and is for another host; nullopt: it does not
  // forward packets from there.
  virtual std::optional<IpPath> forward(
      const Network& /*network*/, std::uint32_t /*interface*/, const IpPrefix& /*target*/) const {
    return std::nullopt;
  }
  // True if an interface that is up has the address.
  virtual bool has_address(const IpPrefix& /*address*/) const { return false; }
  // True if an interface on the management network has the address.
  virtual bool has_management_address(const IpPrefix& /*address*/) const { return false; }
  // True if it answers an ARP request for `target` that came to `interface` from `sender`.
  virtual bool answers_arp(
      std::uint32_t /*interface*/, const IpPrefix& /*target*/, const IpPrefix& /*sender*/) const {
    return false;
  }
  // True if `interface` takes packets from `sender` for `target`, also to be forwarded.
  virtual bool takes_from(
      const Network& /*network*/,
      std::uint32_t /*interface*/,
      const IpPrefix& /*sender*/,
      const IpPrefix& /*target*/) const {
    return true;
  }
  virtual std::optional<Device> device(
      const Network& /*network*/, std::string_view /*name*/) const {
    return std::nullopt;
  }
};

}  // namespace fabric::lab
