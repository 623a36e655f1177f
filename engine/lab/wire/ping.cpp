// Ping: request and reply each find their route, their neighbour by ARP and their way through the
// ring, as a Linux host with two ports in one subnet does it.
#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/lab/wire/frame_walk.hpp"

namespace fabric::lab {
namespace {

constexpr std::uint32_t kHeaders = 28;  // IPv4 and ICMP
constexpr std::uint32_t kHeadersIpv6 = 48;
constexpr std::uint32_t kArpBytes = 28;

class Exchange {
 public:
  explicit Exchange(const World& world) : world_{world} {}

  // The MAC that answers for `target` on the link of `path`; "" if none does.
  std::string resolve(const Machine& machine, const IpPath& path, const IpPrefix& target) const {
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

  // Sends one IP packet; where it arrives, if it does.
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

 private:
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
  IpPath path = machine.path_to(request.target, request.interface);
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
  const Exchange exchange{*this};
  const std::string mac = exchange.resolve(machine, path, request.target);
  if (mac.empty()) {
    result.outcome = PingOutcome::host_unreachable;
    return result;
  }
  result.outcome = PingOutcome::lost;
  const std::optional<Arrival> there =
      exchange.send(machine, path, mac, std::min(packet, path.mtu));
  const std::optional<IpPrefix> source = IpPrefix::parse(path.source);
  if (!there || !source || !there->machine->has_address(request.target)) return result;
  if (!there->machine->takes_from(there->interface, *source)) return result;
  IpPath back = there->machine->path_to(*source, "");
  if (back.interface == 0 || back.management) return result;
  back.source = request.target.address();
  const std::string back_mac = exchange.resolve(*there->machine, back, *source);
  if (back_mac.empty()) return result;
  const std::optional<Arrival> home =
      exchange.send(*there->machine, back, back_mac, std::min(packet, back.mtu));
  if (!home || home->machine != &machine || !machine.takes_from(home->interface, request.target))
    return result;
  if (!request.interface.empty() && home->interface != path.interface) return result;
  result.outcome = PingOutcome::reply;
  result.hops = there->hops + home->hops;
  result.damaged = there->damaged;
  return result;
}

}  // namespace fabric::lab
