// SPDX-License-Identifier: Apache-2.0
// Ping: request and reply each find their route, their neighbour by ARP, their way through the ring
// and from host to host, as Linux hosts do it.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/lab/wire/world.hpp"

namespace fabric::lab {

namespace {

struct Arrival {
  const Machine* machine = nullptr;  // null: a switch that routes, at the port `routed`
  std::uint32_t interface = 0;       // the machine's own number for it
  std::string mac;                   // of the interface
  std::uint32_t hops = 0;            // cables crossed
  bool damaged = false;              // came in by a dirty plug somewhere
  std::optional<PortRef> routed{};
};

// Firmware 16.22.1002 with chaining: longer IP packets are dropped.
constexpr std::string_view kShortFirmware = "16.22.1002";
constexpr std::uint32_t kShortFirmwareBytes = 8150;

}  // namespace

// Follows one Ethernet frame or IPoIB packet through switches and chaining cards.
class FrameWalk {
 public:
  FrameWalk(const World& world, Frame frame) : world_{world}, frame_{std::move(frame)} {}
  // Every interface that gets the frame, nearest first; it leaves by the port below `interface`.
  std::vector<Arrival> run(const Machine& sender, std::uint32_t interface);
  // As run(), from a port of a switch that routes.
  std::vector<Arrival> run_from(const PortRef& port);

 private:
  struct Crossing {
    PortRef to;
    std::uint32_t hops = 0;
    bool damaged = false;
  };
  std::vector<Arrival> all_arrivals();
  void transmit(const PortRef& from, const Crossing& so_far);
  void arrive(const Crossing& arrived);
  bool passes(const PortRef& port) const;
  bool are_apart(const PortRef& in, const PortRef& out) const;
  void arrive_at_switch(const Crossing& arrived);
  void deliver(
      const Machine& machine, std::size_t card, std::uint32_t port, const Crossing& crossing);
  bool chains(const Machine& machine, const Card& card) const;
  bool too_long_for(const Machine& machine, const Card& card) const;

  const World& world_;
  Frame frame_;
  std::vector<Crossing> left_;
  std::set<PortRef> crossed_;    // senders: a frame leaves a port once
  std::set<NodeName> switches_;  // InfiniBand switches that have passed the packet on
  std::vector<Arrival> arrivals_;
};

bool FrameWalk::chains(const Machine& machine, const Card& card) const {
  return card.chaining && machine.powered();
}

bool FrameWalk::too_long_for(const Machine& machine, const Card& card) const {
  return chains(machine, card) && card.firmware == kShortFirmware &&
         frame_.bytes > kShortFirmwareBytes;
}

std::vector<Arrival> FrameWalk::run(const Machine& sender, std::uint32_t interface) {
  const Egress egress = sender.egress(world_, interface, frame_);
  frame_.vlan = egress.vlan;
  for (const Egress::Port& port : egress.ports) {
    if (too_long_for(sender, sender.cards()[port.card])) continue;
    frame_.infiniband = port.infiniband;
    const PortRef from = World::name_of(sender, port.card, port.port);
    transmit(from, Crossing{from});
  }
  return all_arrivals();
}

std::vector<Arrival> FrameWalk::run_from(const PortRef& port) {
  transmit(port, Crossing{port});
  return all_arrivals();
}

std::vector<Arrival> FrameWalk::all_arrivals() {
  for (std::size_t i = 0; i < left_.size(); ++i) {
    const Crossing crossing = left_[i];
    arrive(crossing);
  }
  return arrivals_;
}

void FrameWalk::transmit(const PortRef& from, const Crossing& so_far) {
  const std::optional<PortRef> to = world_.peer(from);
  const bool linked =
      to && world_.powered(from) && world_.powered(*to) && world_.same_link_type(from, *to);
  if (!linked || !crossed_.insert(from).second) return;
  left_.push_back(Crossing{*to, so_far.hops + 1, so_far.damaged});
}

void FrameWalk::arrive(const Crossing& arrived) {
  Crossing crossing = arrived;
  const std::optional<World::Place> place = world_.place_of(crossing.to);
  if (!place) return arrive_at_switch(crossing);
  Machine& machine = *place->machine;
  Card& card = machine.cards()[place->card];
  CardPort& in = card.ports[place->port - 1];
  if (in.dirty) {
    ++in.damaged_frames;
    crossing.damaged = true;
  }
  if (too_long_for(machine, card)) return;
  if (!chains(machine, card)) return deliver(machine, place->card, place->port, crossing);
  // Frames with an own source address are dropped, so that none goes round for ever.
  const bool own = std::ranges::any_of(
      card.ports, [&](const CardPort& port) { return port.mac == frame_.source; });
  if (own) return;
  deliver(machine, place->card, place->port, crossing);
  const auto is_for = [&](std::uint32_t port) {
    return card.ports[port - 1].mac == frame_.destination;
  };
  const std::uint32_t other = place->port == 1 ? 2 : 1;
  if (is_for(place->port)) return;
  deliver(machine, place->card, other, crossing);
  if (is_for(other)) return;
  PortRef out = crossing.to;
  out.port = std::to_string(other);
  transmit(out, crossing);
}

// By the switch's configuration of the port, in either direction.
bool FrameWalk::passes(const PortRef& port) const {
  const std::optional<SwitchPort> own = world_.switch_port(port);
  if (!own) return true;
  const bool carries = frame_.vlan == 0 || !own->vlans || own->vlans->contains(frame_.vlan);
  return own->forwards && frame_.bytes <= own->mtu && carries;
}

// Untagged frames get the VLAN of the port where they come in, and leave without a tag again.
bool FrameWalk::are_apart(const PortRef& in, const PortRef& out) const {
  const std::optional<SwitchPort> one = world_.switch_port(in);
  const std::optional<SwitchPort> other = world_.switch_port(out);
  return frame_.vlan == 0 && one && other && one->untagged != other->untagged;
}

// A switch floods: learning would change nothing visible here. One port of a channel sends, and no
// frame goes back out of the channel that it came from. An InfiniBand switch passes each packet on
// once: multicast goes along the subnet manager's tree.
void FrameWalk::arrive_at_switch(const Crossing& arrived) {
  Crossing crossing = arrived;
  if (world_.is_host(crossing.to.node)) return;  // a card that is not there
  if (const auto dirty = world_.damaged_at_switches_.find(crossing.to);
      dirty != world_.damaged_at_switches_.end()) {
    ++dirty->second;
    crossing.damaged = true;
  }
  const std::optional<SwitchPort> own = world_.switch_port(crossing.to);
  if (own && own->address && frame_.vlan == 0 && frame_.bytes <= own->mtu)
    arrivals_.push_back(
        Arrival{nullptr, 0, own->mac, crossing.hops, crossing.damaged, crossing.to});
  if (!passes(crossing.to)) return;
  if (frame_.infiniband && !switches_.insert(crossing.to.node).second) return;
  const std::size_t from = world_.channel_of(crossing.to);
  std::set<std::size_t> sent;
  for (auto cable = world_.cables_.lower_bound({crossing.to.node, "", ""});
       cable != world_.cables_.end() && cable->first.node == crossing.to.node;
       ++cable) {
    const auto& [port, peer] = *cable;
    if (port == crossing.to || !passes(port) || are_apart(crossing.to, port)) continue;
    const std::size_t channel = world_.channel_of(port);
    const bool same = channel != World::kNoChannel && channel == from;
    if (same || (channel != World::kNoChannel && !world_.powered(peer))) continue;
    if (channel == World::kNoChannel || sent.insert(channel).second) transmit(port, crossing);
  }
}

void FrameWalk::deliver(
    const Machine& machine, std::size_t card, std::uint32_t port, const Crossing& crossing) {
  if (!machine.powered()) return;
  const std::optional<Ingress> taker = machine.ingress(world_, card, port, frame_);
  if (!taker) return;
  arrivals_.push_back(
      Arrival{&machine, taker->interface, taker->mac, crossing.hops, crossing.damaged});
}

namespace {

constexpr std::uint32_t kHeaders = 28;  // IPv4 and ICMP
constexpr std::uint32_t kHeadersIpv6 = 48;
constexpr std::uint32_t kArpBytes = 28;
constexpr int kTimeToLive = 64;

// On its way to `target`.
struct Packet {
  const IpPrefix& target;
  const IpPrefix& source;
  std::uint32_t bytes = 0;
  bool do_not_fragment = false;
};

}  // namespace

class Exchange {
 public:
  explicit Exchange(const World& world) : world_{world} {}

  // The MAC that answers on the link of `path` for its next hop, or for `target` where it has none;
  // "" if none does.
  std::string resolve(const Machine& machine, const IpPath& path, const IpPrefix& target) const {
    const std::optional<IpPrefix> next = IpPrefix::parse(path.via);
    return resolve_on_link(machine, path, next ? *next : target);
  }

  // Sends an IP packet to `mac` and lets hosts forward it; where it arrives, if it does.
  std::optional<Arrival> deliver(
      const Machine& machine, IpPath path, std::string mac, const Packet& packet) const {
    const Machine* at = &machine;
    Arrival total;
    for (int left = kTimeToLive; left > 0; --left) {
      std::optional<Arrival> there = send(*at, path, mac, std::min(packet.bytes, path.mtu));
      if (there && there->machine == nullptr) there = route(*there, packet);
      if (!there ||
          !there->machine->takes_from(world_, there->interface, packet.source, packet.target))
        return std::nullopt;
      total.hops += there->hops;
      total.damaged = total.damaged || there->damaged;
      total.machine = at = there->machine;
      total.interface = there->interface;
      if (at->has_address(packet.target)) return total;
      const std::optional<IpPath> next = at->forward(world_, there->interface, packet.target);
      if (!next || next->management || (packet.do_not_fragment && packet.bytes > next->mtu))
        return std::nullopt;
      path = *next;
      mac = resolve(*at, path, packet.target);
      if (mac.empty()) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // Routes by the subnets of the switch's own ports; the far host may forward on.
  std::optional<Arrival> route(const Arrival& in, const Packet& packet) const {
    for (auto cable = world_.cables_.lower_bound({in.routed->node, "", ""});
         cable != world_.cables_.end() && cable->first.node == in.routed->node;
         ++cable) {
      const PortRef& port = cable->first;
      const std::optional<SwitchPort> own = world_.switch_port(port);
      if (!own || !own->address || !own->address->contains(packet.target)) continue;
      if (port == in.routed || packet.bytes > own->mtu) return std::nullopt;
      FrameWalk request{world_, Frame{own->mac, "", kArpBytes}};
      for (Arrival& arrival : request.run_from(port)) {
        if (arrival.machine == nullptr ||
            !arrival.machine->answers_arp(arrival.interface, packet.target, *own->address))
          continue;
        FrameWalk walk{world_, Frame{own->mac, arrival.mac, packet.bytes}};
        for (Arrival there : walk.run_from(port)) {
          if (there.mac != arrival.mac) continue;
          there.hops += in.hops;
          there.damaged = there.damaged || in.damaged;
          return there;
        }
      }
    }
    return std::nullopt;
  }

  std::string resolve_on_link(
      const Machine& machine, const IpPath& path, const IpPrefix& target) const {
    const std::optional<IpPrefix> sender = IpPrefix::parse(path.source);
    FrameWalk request{world_, Frame{path.mac, "", kArpBytes}};
    for (const Arrival& arrival : request.run(machine, path.interface)) {
      if (arrival.machine == &machine || !sender) continue;
      if (arrival.machine == nullptr) {
        const std::optional<SwitchPort> port = world_.switch_port(*arrival.routed);
        if (port && port->address && port->address->same_address(target)) return arrival.mac;
        continue;
      }
      if (!arrival.machine->answers_arp(arrival.interface, target, *sender)) continue;
      FrameWalk reply{world_, Frame{arrival.mac, path.mac, kArpBytes}};
      for (const Arrival& back : reply.run(*arrival.machine, arrival.interface)) {
        if (back.machine == &machine && back.interface == path.interface) return arrival.mac;
      }
    }
    return "";
  }

  // Over one link.
  std::optional<Arrival> send(
      const Machine& machine,
      const IpPath& path,
      const std::string& mac,
      std::uint32_t bytes) const {
    FrameWalk walk{world_, Frame{path.mac, mac, bytes}};
    for (const Arrival& arrival : walk.run(machine, path.interface)) {
      if (arrival.mac == mac) return arrival;
    }
    return std::nullopt;
  }

  const World& world_;
};

namespace {

// The boards' own ports are on a management network outside the fabric.
bool management_answers(
    const std::map<NodeName, std::unique_ptr<Machine>>& machines, const IpPrefix& target) {
  return std::ranges::any_of(machines, [&](const auto& entry) {
    return entry.second->powered() && entry.second->has_management_address(target);
  });
}

}  // namespace

PingResult World::ping(const Machine& machine, const PingRequest& request) const {
  PingResult result;
  IpPath path = machine.path_to(
      *this,
      request.target,
      request.interface,
      request.source ? request.source->address() : std::string{});
  if (request.source) path.source = request.source->address();
  result.source = path.source;
  if (machine.has_address(request.target)) {
    result.source = path.source.empty() ? request.target.address() : path.source;
    result.outcome = PingOutcome::reply;
    return result;
  }
  if (path.interface == 0) {
    result.outcome = PingOutcome::no_route;
    return result;
  }
  const std::uint32_t packet = request.payload + (request.target.ipv6() ? kHeadersIpv6 : kHeaders);
  result.mtu = path.mtu;
  if (request.do_not_fragment && packet > path.mtu) {
    result.outcome = PingOutcome::too_long;
    return result;
  }
  if (path.management) {
    result.outcome = management_answers(machines_, request.target) ? PingOutcome::reply
                                                                   : PingOutcome::host_unreachable;
    return result;
  }
  const Still still{*this};  // a packet is faster than any change
  const Exchange exchange{*this};
  const std::string mac = exchange.resolve(machine, path, request.target);
  if (mac.empty()) {
    result.outcome = PingOutcome::host_unreachable;
    return result;
  }
  result.outcome = PingOutcome::lost;
  const std::optional<IpPrefix> source = IpPrefix::parse(path.source);
  if (!source) return result;
  const std::optional<Arrival> there = exchange.deliver(
      machine, path, mac, {request.target, *source, packet, request.do_not_fragment});
  if (!there) return result;
  IpPath back = there->machine->path_to(*this, *source, "", request.target.address());
  if (back.interface == 0 || back.management) return result;
  back.source = request.target.address();
  const std::string back_mac = exchange.resolve(*there->machine, back, *source);
  if (back_mac.empty()) return result;
  const std::optional<Arrival> home =
      exchange.deliver(*there->machine, back, back_mac, {*source, request.target, packet, false});
  if (!home || home->machine != &machine) return result;
  if (!request.interface.empty() && home->interface != path.interface) return result;
  result.outcome = PingOutcome::reply;
  result.hops = there->hops + home->hops;
  result.damaged = there->damaged;
  return result;
}

}  // namespace fabric::lab
