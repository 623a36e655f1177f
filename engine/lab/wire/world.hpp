// SPDX-License-Identifier: Apache-2.0
// World: the cables between simulated hosts, and the frames that really cross them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/lab/machine/machine.hpp"
#include "engine/lab/machine/network.hpp"
#include "engine/lab/wire/flow.hpp"
#include "engine/model/names.hpp"

namespace fabric::lab {

class World final : public Network {
 public:
  // `machines` must outlive this; their order does not matter.
  explicit World(const std::map<NodeName, std::unique_ptr<Machine>>& machines)
      : machines_{machines} {}

  // A port that is cabled already is unplugged first.
  void connect(const PortRef& a, const PortRef& b);
  // Of a cable that stays in its other port, which then has a plug and no link.
  enum class Ends : std::uint8_t { both, one };
  void unplug(const PortRef& port, Ends ends = Ends::both);
  // What the plug of a cabled port is like; the speed is that of both ends. REQUIRES: a cable.
  void set_plug(const PortRef& port, const Plug& plug);
  // Frames that come in there are counted as damaged from now on.
  void make_dirty(const PortRef& port);
  // As if so many frames had been damaged there already.
  void count_damaged(const PortRef& port, std::uint64_t frames);
  // Does the machine have that port? A port of a switch, or of a node without a machine, always
  // exists.
  bool exists(const PortRef& port) const;
  std::optional<PortRef> peer(const PortRef& port) const;
  // Ports of a switch, or of a pair of them, that were made one: with LACP, or static. `system` is
  // the name by which they answer.
  void add_port_channel(std::vector<PortRef> ports, bool lacp, std::string system);
  // A switch that exists only as the end of cables identifies itself by LLDP as this one.
  void tell_lldp(const NodeName& node, LldpSender sender) { lldp_of_[node] = std::move(sender); }

  // The node GUID of an InfiniBand switch; one of a maker that does not exist where none is given.
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
  // sweep.cpp
  std::vector<SweptNode> sweep(
      const Machine& machine, std::size_t card, std::uint32_t port) const override;
  std::optional<FlowVisit> serve(const Machine& machine, const FlowServer& server) const override;
  FlowAnswer connect(const Machine& machine, const FlowRequest& request) const override;
  FlowTable& flows() { return *flows_; }

  // Code that is about to change the power of a machine, the types of its ports, or the
  // configuration of a switch says so before: until let_go() such a machine is looked at again with
  // every question about links, and no other is.
  void take_in_hand(const Machine& machine) const;
  void let_go() const;

  // While one lives nothing changes that links and managers depend on: a result for one port of a
  // subnet is taken for the others, and not every machine is looked at for each port.
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
  // nullopt for a switch port, or if the card is not there.
  std::optional<Place> place_of(const PortRef& port) const;
  static PortRef name_of(const Machine& machine, std::size_t card, std::uint32_t port);
  bool is_host(const NodeName& node) const;
  // nullopt: the node is none of the lab's machines, or leaves the port to the document.
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
  // Those that are joined with `from`, itself among them.
  Places ports_of_subnet(const PortRef& from) const;
  Places walk_from(const PortRef& from) const;
  void forget_old_walks() const;
  // The manager of the subnet that these ports make, and its master's partitions.
  struct Management {
    std::vector<ManagerSeen> managers;  // the master first
    PartitionRules rules;
  };
  Management management_of(const Joined& joined) const;
  std::shared_ptr<const Management> known_management(const Places& ports) const;
  // The same for the whole life of the lab, for all managers and machines.
  std::uint32_t lid_of(const Place& place) const;
  // Of a switch that is a machine: its own GUID and LID; nothing is known of any other.
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
  // Walks that are still true: every file of every port asks, and hundreds of cables take time.
  mutable std::map<PortRef, Places> walks_;  // by port
  // Those that may be changing, with what their links depended on when they were last looked at.
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
