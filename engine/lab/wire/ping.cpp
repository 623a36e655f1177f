// SPDX-License-Identifier: Apache-2.0
// Ping: request and reply each find their route, their neighbour by ARP, their way through the ring
// and from host to host, as Linux hosts do it.
#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/lab/wire/frame_walk.hpp"

namespace fabric::lab {
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
      const std::optional<Arrival> there = send(*at, path, mac, std::min(packet.bytes, path.mtu));
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
  std::string resolve_on_link(
      const Machine& machine, const IpPath& path, const IpPrefix& target) const {
    const std::optional<IpPrefix> sender = IpPrefix::parse(path.source);
    FrameWalk request{world_, Frame{path.mac, "", kArpBytes}};
    for (const Arrival& arrival : request.run(machine, path.interface)) {
      if (arrival.machine == &machine || !sender) continue;
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

// The boards' own ports are on a management network outside the fabric.
bool management_answers(
    const std::map<NodeName, std::unique_ptr<Machine>>& machines, const IpPrefix& target) {
  return std::any_of(machines.begin(), machines.end(), [&](const auto& entry) {
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
