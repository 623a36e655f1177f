// SPDX-License-Identifier: Apache-2.0
// World: the cables between simulated hosts, and the frames that cross them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/node_name.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/lab/machine/network.hpp"
#include "engine/model/names.hpp"

namespace fabric::lab {

// Flows: servers that wait for a client of perftest or iperf3, and the result of a client.
//
// A command of the lab runs at once and to its end. A server's command is first run without a
// client; when a client comes, it is run again with that visit, and its new output replaces the
// first result, which is not due yet.
struct FlowTable {
  struct Waiting {
    NodeName node;
    FlowServer server;
    std::uint64_t exec = 0;  // the command it waits in
    TimePoint until{};       // the time at which the server ends by itself
    std::optional<FlowVisit> visit;
  };
  std::vector<Waiting> waiting;
  std::uint64_t exec = 0;          // the command that runs now
  std::optional<FlowVisit> visit;  // the server is run again for this client
};

class World final : public Network {
 public:
  // `machines` must outlive this; their order does not matter.
  explicit World(const std::map<NodeName, std::unique_ptr<Machine>>& machines)
      : machines_{machines} {}

  // A port that is cabled already is unplugged first.
  void connect(const PortRef& a, const PortRef& b);
  // For a cable whose other plug stays in: that port then has a plug and no link.
  enum class Ends : std::uint8_t { both, one };
  void unplug(const PortRef& port, Ends ends = Ends::both);
  // Sets the plug of a cabled port; the speed is that of both ends. REQUIRES: a cable.
  void set_plug(const PortRef& port, const Plug& plug);
  // Frames that come in there are counted as damaged from now on.
  void make_dirty(const PortRef& port);
  // Adds this number to the damaged frames of the port.
  void count_damaged(const PortRef& port, std::uint64_t frames);
  // True if the machine has that port. A port of a switch, or of a node without a machine, always
  // exists.
  bool exists(const PortRef& port) const;
  std::optional<PortRef> peer(const PortRef& port) const;
  // Joins ports of a switch, or of a pair of switches, to a channel: with LACP, or static. `system`
  // is the LACP name of the switch or pair.
  void add_port_channel(std::vector<PortRef> ports, bool lacp, std::string system);
  // The LLDP identity of a switch that exists only as the end of cables.
  void tell_lldp(const NodeName& node, LldpSender sender) { lldp_of_[node] = std::move(sender); }

  // The node GUID of an InfiniBand switch; without one, a GUID of a made-up vendor.
  void name_switch(const NodeName& node, std::uint64_t guid) { switch_guids_[node] = guid; }

  bool carrier(const Machine& machine, std::size_t card, std::uint32_t port) const override;
  bool has_link(const PortRef& port) const override;
  std::uint64_t damaged_frames(const PortRef& switch_port) const override;
  std::string fec_at(const PortRef& switch_port) const override;
  std::optional<LldpSender> lldp_neighbour(
      const Machine& machine, std::size_t card, std::uint32_t port) const override;
  std::optional<LldpSender> lldp_at(const PortRef& port) const override;
  std::optional<LacpPartner> lacp_partner(
      const Machine& machine, std::size_t card, std::uint32_t port) const override;
  std::optional<LacpPartner> lacp_at(const PortRef& port) const override;
  // The master is the manager of the highest priority, of these the one with the lowest GUID.
  std::optional<SubnetView> subnet(
      const Machine& machine, std::size_t card, std::uint32_t port) const override;
  bool is_managed(const PortRef& port) const override;
  PingResult ping(const Machine& machine, const PingRequest& request) const override;
  // subnet.cpp
  std::vector<SweptNode> sweep(
      const Machine& machine, std::size_t card, std::uint32_t port) const override;
  std::optional<FlowVisit> serve(const Machine& machine, const FlowServer& server) const override;
  FlowAnswer connect(const Machine& machine, const FlowRequest& request) const override;
  FlowTable& flows() { return *flows_; }

  // Called before code changes the power of a machine, the types of its ports, or the configuration
  // of a switch: until let_go() the links of such machines are computed anew for every question,
  // and those of others are not.
  void take_in_hand(const Machine& machine) const;
  void let_go() const;

  // While an object exists, nothing changes that links and managers depend on: a result for one
  // port of a subnet is reused for the others.
  class Still {
   public:
    explicit Still(const World& world) : world_{world} { world_.hold_still(); }
    ~Still() { world_.go_on(); }
    Still(const Still&) = delete;
    Still& operator=(const Still&) = delete;

   private:
    const World& world_;
  };

 private:
  void hold_still() const;
  void go_on() const;

  struct Place {
    Machine* machine = nullptr;
    std::size_t card = 0;
    std::uint32_t port = 0;
  };
  Plug* plug_at(const PortRef& port) const;  // null where place_of() has nothing
  // nullopt for a switch port, or if the card is missing.
  std::optional<Place> place_of(const PortRef& port) const;
  static PortRef name_of(const Machine& machine, std::size_t card, std::uint32_t port);
  bool is_host(const NodeName& node) const;
  // nullopt: the node is no machine of the lab, or leaves the port to the document.
  std::optional<SwitchPort> switch_port(const PortRef& port) const;
  bool powered(const PortRef& port) const;
  bool same_link_type(const PortRef& a, const PortRef& b) const;

  bool is_infiniband(const Place& place) const;
  // The other end of a port that has an InfiniBand link.
  std::optional<PortRef> linked_peer(const PortRef& port) const;
  // All InfiniBand ports that cables and switches join, and those switches.
  struct Joined {
    std::vector<Place> ports;
    std::set<NodeName> switches;
  };
  using Places = std::shared_ptr<const Joined>;
  // The ports that are joined with `from`, including itself.
  Places ports_of_subnet(const PortRef& from) const;
  Places walk_from(const PortRef& from) const;
  void forget_old_walks() const;
  // The managers of the subnet of these ports, and its master's partitions.
  struct Management {
    std::vector<ManagerSeen> managers;  // the master first
    PartitionRules rules;
  };
  Management management_of(const Joined& joined) const;
  std::shared_ptr<const Management> known_management(const Places& ports) const;
  // A LID that stays the same for the whole life of the lab, under any manager.
  std::uint32_t lid_of(const Place& place) const;
  // The GUID and LID of a switch that is a machine; other switches have none.
  struct SwitchNames {
    std::uint64_t guid = 0;
    std::uint32_t lid = 0;
  };
  std::optional<SwitchNames> names_of_switch(const NodeName& node) const;

  static constexpr std::size_t kNoChannel = static_cast<std::size_t>(-1);
  static constexpr std::size_t kOwnChannels = std::size_t{1}
                                              << 32U;  // of switches that are machines
  std::size_t channel_of(const PortRef& port) const;

  FlowVisit visit_of(
      const Machine& client,
      const FlowRequest& request,
      const Machine& server,
      const FlowServer& waiting) const;

  friend class Exchange;
  friend class FrameWalk;
  friend class Sweep;
  const std::map<NodeName, std::unique_ptr<Machine>>& machines_;
  std::map<PortRef, PortRef> cables_;  // both directions
  std::uint32_t cables_made_ = 0;
  std::map<NodeName, std::uint64_t> switch_guids_;
  std::map<PortRef, std::string> fec_of_switches_;
  mutable std::map<PortRef, std::uint64_t> damaged_at_switches_;  // frames, at each dirty port
  // Walks that are still valid: every file of every port asks, which takes time for many cables.
  mutable std::map<PortRef, Places> walks_;  // by port
  // Machines that may be changing, with the state of their links when it was last computed.
  mutable std::map<const Machine*, std::uint64_t> in_hand_;
  mutable std::uint32_t still_ = 0;                                          // how many want it so
  mutable std::map<Places, std::shared_ptr<const Management>> managements_;  // while it is still
  mutable std::map<const Machine*, std::uint32_t> first_lids_;               // less one
  struct PortChannel {
    std::vector<PortRef> ports;
    bool lacp = false;
    std::string system{};
  };
  std::vector<PortChannel> channels_;
  std::map<NodeName, LldpSender> lldp_of_;
  std::unique_ptr<FlowTable> flows_ = std::make_unique<FlowTable>();
};

}  // namespace fabric::lab
