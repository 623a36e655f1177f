// SPDX-License-Identifier: Apache-2.0
// Network: a machine's view of the world outside.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/lab/machine/ip_prefix.hpp"
#include "engine/model/names.hpp"

namespace fabric::lab {

class Machine;

struct PingRequest {
  IpPrefix target;
  std::string interface;           // bound to it, "" = by route
  std::optional<IpPrefix> source;  // bound to it
  std::uint32_t payload = 56;      // bytes of ICMP data
  bool do_not_fragment = false;
};

enum class PingOutcome : std::uint8_t { reply, lost, host_unreachable, no_route, too_long };

struct PingResult {
  PingOutcome outcome = PingOutcome::lost;
  std::string source;      // address the request had
  std::uint32_t mtu = 0;   // of the interface, for too_long
  std::uint32_t hops = 0;  // cables crossed there and back
  bool damaged = false;    // on its way there, by a dirty plug
};

// The LLDP neighbour at the other end of a cable.
struct LldpSender {
  std::string chassis_mac;
  std::string system_name;
  std::string system_description;
  std::string port_mac;
  std::string port_description;
  std::string port_name{};  // a switch's LLDP name of the port in place of its MAC; "" = the MAC
};

// The LACP partner at the other end of a cable.
struct LacpPartner {
  std::string system;  // MAC
  std::uint32_t key = 0;
  std::uint32_t port = 1;
  std::uint32_t system_priority = 65535;
  std::uint32_t port_priority = 255;
  bool fast = false;
};

// A running subnet manager, as the ports of its subnet see it.
struct ManagerSeen {
  std::uint64_t guid = 0;
  std::uint32_t lid = 0;
  std::uint32_t priority = 0;
};

// The subnet's settings at an InfiniBand port.
struct SubnetView {
  std::uint32_t lid = 0;              // of the port; 0: no manager
  std::vector<ManagerSeen> managers;  // the master first, then its standbys
  std::vector<std::uint16_t> pkeys;   // the port's table, bit 15: full member
  // By P_Key of the port (without bit 15): the MTU of its IPoIB group; absent without one.
  std::map<std::uint16_t, std::uint32_t> groups;
};

// The result of a sweep of a subnet: each node with its ports that have a link.
struct SweptPort {
  std::uint32_t number = 1;
  std::uint64_t guid = 0;
  std::uint32_t lid = 0;
  std::uint32_t gbps = 0;
  std::size_t peer_node = 0;  // index in the list of nodes
  std::uint32_t peer_port = 1;
};

struct SweptNode {
  bool is_switch = false;
  std::string description;
  std::uint64_t guid = 0, system_image = 0;
  std::uint32_t device_id = 0, port_count = 0, lid = 0;
  std::vector<SweptPort> ports;  // in order of number
};

// A port of a card, as a port of an RDMA device.
struct RdmaPlace {
  std::size_t card = 0;
  std::uint32_t port = 0;  // from 1
};

// A server of perftest or iperf3 that waits for one client.
struct FlowServer {
  std::string tool;  // "ib_send_bw"
  std::uint16_t port = 0;
  std::optional<IpPrefix> bound{};
  std::optional<RdmaPlace> rdma{};
  std::uint32_t payload = 65535;  // of the packets that this end takes, counted as ping does
};

struct FlowRequest {
  std::string tool;
  std::uint16_t port = 0;
  IpPrefix server;
  std::optional<IpPrefix> source{};  // bound to it
  std::string device{};              // the device for full packets; "" = by route
  std::optional<RdmaPlace> rdma{};
  bool infiniband = false;
  std::uint32_t payload = 0;  // the same; the ends agree on the lesser
  std::uint32_t streams = 1;
  Duration took{0};
};

// The results of a flow's server and client; 0 Gb/s: full packets don't get through.
struct FlowVisit {
  double gbps = 0;
  Duration took{0};
};

enum class FlowOutcome : std::uint8_t { connected, refused, no_answer, host_unreachable, no_route };
struct FlowAnswer {
  FlowOutcome outcome = FlowOutcome::no_answer;
  FlowVisit visit{};
};

class Network {
 public:
  virtual ~Network() = default;
  // True if a card's port has a carrier: cable, power and link type at both ends.
  virtual bool carrier(const Machine& machine, std::size_t card, std::uint32_t port) const = 0;
  // As carrier(), for a port of a switch.
  virtual bool has_link(const PortRef& /*port*/) const { return false; }
  // The number of damaged frames that came in at a port of a switch.
  virtual std::uint64_t damaged_frames(const PortRef& /*switch_port*/) const { return 0; }
  // The FEC that is configured there; "" = the default.
  virtual std::string fec_at(const PortRef& /*switch_port*/) const { return ""; }
  // nullopt: no carrier, or no LLDP there.
  virtual std::optional<LldpSender> lldp_neighbour(
      const Machine& /*machine*/, std::size_t /*card*/, std::uint32_t /*port*/) const {
    return std::nullopt;
  }
  // As lldp_neighbour(), for a port of a switch.
  virtual std::optional<LldpSender> lldp_at(const PortRef& /*port*/) const { return std::nullopt; }
  // nullopt: no LACP there.
  virtual std::optional<LacpPartner> lacp_partner(
      const Machine& /*machine*/, std::size_t /*card*/, std::uint32_t /*port*/) const {
    return std::nullopt;
  }
  // As lacp_partner(), for a port of a switch.
  virtual std::optional<LacpPartner> lacp_at(const PortRef& /*port*/) const { return std::nullopt; }
  // nullopt: the port is Ethernet or has no link.
  virtual std::optional<SubnetView> subnet(
      const Machine& /*machine*/, std::size_t /*card*/, std::uint32_t /*port*/) const {
    return std::nullopt;
  }
  // For a port of a switch with a link to a host: true if a manager manages their subnet.
  virtual bool is_managed(const PortRef& /*port*/) const { return false; }
  virtual PingResult ping(const Machine& machine, const PingRequest& request) const = 0;
  // The port's own node first; empty if the port is Ethernet or has no link.
  virtual std::vector<SweptNode> sweep(
      const Machine& /*machine*/, std::size_t /*card*/, std::uint32_t /*port*/) const {
    return {};
  }
  // The visit of a client; nullopt: none comes while the command waits.
  virtual std::optional<FlowVisit> serve(
      const Machine& /*machine*/, const FlowServer& /*server*/) const {
    return std::nullopt;
  }
  virtual FlowAnswer connect(const Machine& /*machine*/, const FlowRequest& /*request*/) const {
    return {};
  }
};

}  // namespace fabric::lab
