// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/expected_losses.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/discovery/reach_fabric.hpp"
#include "engine/verify/paths/lost_paths.hpp"

namespace fabric::verify {

namespace {

// True if every port with an address has its route in the main table.
bool is_whole(const reach::Host& host) {
  for (std::size_t port = 0; port < host.ports.size(); ++port) {
    const bool has_route =
        std::any_of(host.routes.begin(), host.routes.end(), [&](const reach::Route& route) {
          return route.table == 0 && route.port == port;
        });
    if (!host.ports[port].addresses.empty() && !has_route) return false;
  }
  return true;
}

// Null if the port has no address in the fabric.
const reach::Port* find_port(const reach::Fabric& fabric, const PortRef& port) {
  for (const reach::Host& host : fabric.hosts) {
    for (const reach::Port& each : host.ports) {
      if (each.name == port) return each.addresses.empty() ? nullptr : &each;
    }
  }
  return nullptr;
}

}  // namespace

ExpectedLosses::ExpectedLosses(
    const FabricSpec& spec,
    const discovery::Snapshot& snapshot,
    const discovery::Evidence& evidence,
    const Topology& topology)
    : spec_{spec}, topology_{topology} {
  std::vector<reach::NetworkNow> declared = discovery::declared_paths(spec);
  const bool is_all_there = std::all_of(
      declared.begin(), declared.end(), [](const auto& now) { return now.away.nodes.empty(); });
  if (is_all_there) return;
  const std::vector<reach::NetworkNow> observed =
      discovery::observed_paths(spec, snapshot, evidence);
  for (std::size_t index = 0; index < declared.size(); ++index) {
    reach::NetworkNow& now = declared[index];
    if (now.away.nodes.empty()) continue;
    for (std::size_t host = 0; host < now.fabric.hosts.size(); ++host) {
      const reach::Host& as_it_is = observed[index].fabric.hosts[host];
      if (!is_whole(as_it_is)) continue;
      now.fabric.hosts[host].routes = as_it_is.routes;
      now.fabric.hosts[host].rules = as_it_is.rules;
    }
    Network& network = networks_[now.network];
    network.now = std::move(now);
    network.reachability =
        std::make_unique<reach::Reachability>(network.now.fabric, network.now.away);
  }
}

bool ExpectedLosses::contains(const PathReport& report) const {
  const auto found = networks_.find(report.path.network);
  if (found == networks_.end() || report.small != Passage::lost) return false;
  const reach::Fabric& fabric = found->second.now.fabric;
  const reach::Port* from = find_port(fabric, report.path.from);
  const Result<IpAddress> target = IpAddress::parse(report.path.to_address);
  if (from == nullptr || find_port(fabric, report.path.to) == nullptr || !target ||
      target->family() != Family::ipv4)
    return is_expected_loss(spec_, topology_, report);
  const reach::Verdict verdict = found->second.reachability->between(
      report.path.from,
      from->addresses.front().address,
      report.path.to,
      *target,
      reach::Bound::address);
  if (verdict.state == reach::State::unknown) return is_expected_loss(spec_, topology_, report);
  return verdict.state == reach::State::lost;
}

}  // namespace fabric::verify
