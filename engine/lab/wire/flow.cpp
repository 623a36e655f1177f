// SPDX-License-Identifier: Apache-2.0
// The speed of a flow: the least of links and PCIe slots, less for each card that forwards.
#include <algorithm>

#include "engine/lab/wire/world.hpp"
#include "engine/model/pcie.hpp"

namespace fabric::lab {
namespace {

// The part of the bandwidth of link and slot. A healthy ring of ConnectX-5 was seen at 96 % by
// RDMA, TCP over a 40G port at 61 % with one stream, and "there is a small dip in performance on
// each hop" (seeds 000, 002).
constexpr double kRdma = 0.96;
constexpr double kTcpStream = 0.61;
constexpr double kTcpStreams = 0.82;
constexpr double kEachForwarding = 0.95;
// A damaged packet is sent again with all that followed it.
constexpr double kDamaged = 0.2;

double card_gbps(const Machine& machine, std::size_t card, std::uint32_t port) {
  const HardwareModel& hardware = machine.cards()[card].hardware;
  const double line = port_gbps(machine.cards()[card], port);
  const std::optional<double> slot = pcie_gbps(hardware.pcie_generation, hardware.pcie_width);
  return slot ? std::min(line, *slot) : line;
}

}  // namespace

std::optional<FlowVisit> World::serve(const Machine& machine, const FlowServer& server) const {
  if (flows_->visit) return flows_->visit;
  flows_->waiting.push_back({machine.name(), server, flows_->exec, TimePoint::max(), std::nullopt});
  return std::nullopt;
}

FlowAnswer World::connect(const Machine& machine, const FlowRequest& request) const {
  PingRequest small;
  small.target = request.server;
  small.source = request.source;
  small.interface = request.rdma ? "" : request.device;
  switch (ping(machine, small).outcome) {
    case PingOutcome::reply:
      break;
    case PingOutcome::no_route:
      return {FlowOutcome::no_route, {}};
    case PingOutcome::host_unreachable:
      return {FlowOutcome::host_unreachable, {}};
    case PingOutcome::lost:
    case PingOutcome::too_long:
      return {FlowOutcome::no_answer, {}};
  }
  const auto server = std::ranges::find_if(flows_->waiting, [&](const FlowTable::Waiting& each) {
    const Machine& there = *machines_.at(each.node);
    return each.server.tool == request.tool && each.server.port == request.port && !each.visit &&
           there.powered() && each.until > machine.now && there.has_address(request.server) &&
           (!each.server.bound || each.server.bound->same_address(request.server));
  });
  if (server == flows_->waiting.end()) return {FlowOutcome::refused, {}};
  server->visit = visit_of(machine, request, *machines_.at(server->node), server->server);
  return {FlowOutcome::connected, *server->visit};
}

FlowVisit World::visit_of(
    const Machine& client,
    const FlowRequest& request,
    const Machine& server,
    const FlowServer& waiting) const {
  bool damaged = false;
  double limit = 0;
  std::uint32_t forwarding = 0;
  if (request.rdma && waiting.rdma) {
    limit = std::min(
        card_gbps(client, request.rdma->card, request.rdma->port),
        card_gbps(server, waiting.rdma->card, waiting.rdma->port));
  }
  if (request.infiniband) {
    const Places subnet = ports_of_subnet(name_of(client, request.rdma->card, request.rdma->port));
    const bool joined = std::ranges::any_of(subnet->ports, [&](const Place& place) {
      return place.machine == &server && waiting.rdma && place.card == waiting.rdma->card &&
             place.port == waiting.rdma->port;
    });
    if (!joined) return {};
  } else {
    PingRequest full;
    full.target = request.server;
    full.source = request.source;
    full.interface = request.device;
    full.payload = std::min(request.payload, waiting.payload);
    const PingResult result = ping(client, full);
    if (result.outcome != PingOutcome::reply) return {};
    damaged = result.damaged;
    const std::optional<Device> own = client.device(*this, request.device);
    if (own && own->card && client.cards()[*own->card].chaining && result.hops > 2)
      forwarding = result.hops / 2 - 1;
    if (limit <= 0 && own) limit = own->gbps;
  }
  FlowVisit visit;
  visit.took = request.took;
  visit.gbps = limit * (request.rdma ? kRdma : request.streams > 1 ? kTcpStreams : kTcpStream);
  for (std::uint32_t card = 0; card < forwarding; ++card)
    visit.gbps *= kEachForwarding;
  if (damaged) visit.gbps *= kDamaged;
  return visit;
}

}  // namespace fabric::lab
