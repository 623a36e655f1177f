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

struct Path {
  Interface* interface = nullptr;
  std::string source;
};

// The first of the longest routes whose device is up; as the kernel, not by where a request came
// in.
Path find_path(Machine& machine, const IpPrefix& target, const std::string& bound) {
  Path path;
  std::int64_t best = -1;
  for (const Route& route : machine.state.routes) {
    Interface* interface = machine.find_interface(route.device);
    const bool usable =
        interface != nullptr && interface->up && (bound.empty() || bound == route.device);
    const auto length = static_cast<std::int64_t>(route.destination.length());
    if (!usable || length == 0 || !route.destination.contains(target) || length <= best) continue;
    best = length;
    path = Path{interface, route.source};
  }
  return path;
}

Interface* owner_of(Machine& machine, const IpPrefix& address) {
  for (Interface& interface : machine.state.interfaces) {
    for (const IpPrefix& own : interface.addresses) {
      if (interface.up && own.same_address(address)) return &interface;
    }
  }
  return nullptr;
}

// Of `all` and of the interface, the larger counts.
std::int64_t interface_sysctl(
    const Machine& machine, const Interface& interface, const std::string& key) {
  const auto value = [&](const std::string& scope) {
    return parse_integer(machine.sysctl("net/ipv4/conf/" + scope + "/" + key, "0")).value_or(0);
  };
  return std::max(value("all"), value(interface.name));
}

bool answers_arp(
    Machine& machine, const Interface& interface, const IpPrefix& target, const IpPrefix& sender) {
  const Interface* owner = owner_of(machine, target);
  if (owner == nullptr) return false;
  const std::int64_t ignore = interface_sysctl(machine, interface, "arp_ignore");
  if (ignore == 0) return true;
  if (ignore >= 8 || owner->name != interface.name) return false;
  if (ignore == 1) return true;
  return std::any_of(
      interface.addresses.begin(), interface.addresses.end(), [&](const IpPrefix& own) {
        return own.same_address(target) && own.contains(sender);
      });
}

bool passes_rp_filter(Machine& machine, const Interface& interface, const IpPrefix& sender) {
  const std::int64_t filter = interface_sysctl(machine, interface, "rp_filter");
  if (filter == 0) return true;
  const Path back = find_path(machine, sender, "");
  if (back.interface == nullptr) return false;
  return filter == 2 || back.interface->name == interface.name;
}

class Exchange {
 public:
  explicit Exchange(const World& world) : world_{world} {}

  // The MAC that answers for `target` on the link of `path`; "" if none does.
  std::string resolve(Machine& machine, const Path& path, const IpPrefix& target) const {
    const std::optional<IpPrefix> sender = IpPrefix::parse(path.source);
    FrameWalk request{world_, Frame{path.interface->mac, "", kArpBytes}};
    for (const Arrival& arrival : request.run(machine, *path.interface)) {
      if (arrival.machine == &machine || !sender) continue;
      if (!answers_arp(*arrival.machine, *arrival.interface, target, *sender)) continue;
      FrameWalk reply{world_, Frame{arrival.interface->mac, path.interface->mac, kArpBytes}};
      for (const Arrival& back : reply.run(*arrival.machine, *arrival.interface)) {
        if (back.machine == &machine && back.interface == path.interface)
          return arrival.interface->mac;
      }
    }
    return "";
  }

  // Sends one IP packet; where it arrives, if it does.
  std::optional<Arrival> send(
      Machine& machine, const Path& path, const std::string& mac, std::uint32_t bytes) const {
    FrameWalk walk{world_, Frame{path.interface->mac, mac, bytes}};
    for (const Arrival& arrival : walk.run(machine, *path.interface)) {
      if (arrival.interface->mac == mac) return arrival;
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
    const Interface* owner = owner_of(*entry.second, target);
    return entry.second->os_running && owner != nullptr && owner->is_management();
  });
}

}  // namespace

PingResult World::ping(const Machine& machine, const PingRequest& request) const {
  // The machine is ours; only the caller's view of it is const.
  const auto found = std::find_if(machines_.begin(), machines_.end(), [&](const auto& entry) {
    return entry.second.get() == &machine;
  });
  if (found == machines_.end()) return {PingOutcome::no_route, "", 0, 0};
  Machine& here = *found->second;
  PingResult result;
  Path path = find_path(here, request.target, request.interface);
  if (request.source) path.source = request.source->address();
  result.source = path.source;
  if (owner_of(here, request.target) != nullptr) {
    result.source = path.source.empty() ? request.target.address() : path.source;
    result.outcome = PingOutcome::reply;
    return result;
  }
  if (path.interface == nullptr) {
    result.outcome = PingOutcome::no_route;
    return result;
  }
  const std::uint32_t packet = request.payload + (request.target.ipv6() ? kHeadersIpv6 : kHeaders);
  result.mtu = path.interface->mtu;
  if (request.do_not_fragment && packet > path.interface->mtu) {
    result.outcome = PingOutcome::too_long;
    return result;
  }
  if (path.interface->is_management()) {
    result.outcome = management_answers(machines_, request.target) ? PingOutcome::reply
                                                                   : PingOutcome::host_unreachable;
    return result;
  }
  const Exchange exchange{*this};
  const std::string mac = exchange.resolve(here, path, request.target);
  if (mac.empty()) {
    result.outcome = PingOutcome::host_unreachable;
    return result;
  }
  result.outcome = PingOutcome::lost;
  const std::optional<Arrival> there =
      exchange.send(here, path, mac, std::min(packet, path.interface->mtu));
  const std::optional<IpPrefix> source = IpPrefix::parse(path.source);
  if (!there || !source || owner_of(*there->machine, request.target) == nullptr) return result;
  if (!passes_rp_filter(*there->machine, *there->interface, *source)) return result;
  Path back = find_path(*there->machine, *source, "");
  if (back.interface == nullptr || back.interface->is_management()) return result;
  back.source = request.target.address();
  const std::string back_mac = exchange.resolve(*there->machine, back, *source);
  if (back_mac.empty()) return result;
  const std::optional<Arrival> home =
      exchange.send(*there->machine, back, back_mac, std::min(packet, back.interface->mtu));
  if (!home || home->machine != &here || !passes_rp_filter(here, *home->interface, request.target))
    return result;
  if (!request.interface.empty() && home->interface->name != request.interface) return result;
  result.outcome = PingOutcome::reply;
  result.hops = there->hops + home->hops;
  result.damaged = there->damaged;
  return result;
}

}  // namespace fabric::lab
