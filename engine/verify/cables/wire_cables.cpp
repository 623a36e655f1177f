// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/wire_cables.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/verify/cables/speed_text.hpp"

namespace fabric::verify {

namespace {

// Width and speed of an InfiniBand link against what the document asks for.

constexpr std::int64_t kLanesOfCable = 4;

std::string rate_text(const WirePort& port) {
  return fmt::format("{}x{}", *port.lanes, speed_name(*port.speed));
}

double gbps_of(const WirePort& port) {
  return static_cast<double>(*port.lanes) * lane_gbps(*port.speed);
}

// The signalling rate is what names are rounded from: 4xEDR is 103.125 Gb/s and called 100.
bool is_slower(const WirePort& port, const std::string& declared) {
  if (const auto mbps = declared_speed_mbps(declared))
    return gbps_of(port) * 1000 < static_cast<double>(*mbps);
  const auto speed = speed_of_name(declared);
  return speed && (*port.speed < *speed || *port.lanes < kLanesOfCable);
}

// The fault of the link between two ports, "expected 100 Gb/s, found 4xQDR, 40 Gb/s"; "" if there
// is none. `declared` is the cable's `speed`: "100G", "EDR", or "" for none. Without a declared
// speed two links are still wrong: one of a single lane, because cables have four, and one whose
// ends say that both could do more.
std::string link_lack(const std::string& declared, const WirePort& a, const WirePort& b) {
  const bool a_known = a.lanes && a.speed;
  const bool b_known = b.lanes && b.speed;
  if (a_known && b_known && (a.lanes != b.lanes || a.speed != b.speed))
    return fmt::format("its ends report different rates: {} and {}", rate_text(a), rate_text(b));
  const WirePort& port = a_known ? a : b;
  const std::string& could_be = a.could_be.empty() ? b.could_be : a.could_be;
  if (!a_known && !b_known) return could_be.empty() ? "" : "the ports allow " + could_be;
  if (!declared.empty() && is_slower(port, declared))
    return fmt::format("expected {}, found {}", declared, rate_text(port));
  if (!could_be.empty())
    return fmt::format("found {}, but the ports allow {}", rate_text(port), could_be);
  if (declared.empty() && *port.lanes == 1)
    return fmt::format("expected {} lanes, found {}", kLanesOfCable, rate_text(port));
  return {};
}

// "what the other end is plugged into", for the message.
std::string cabled_to(const PortRef& port, const std::string& other) {
  return fmt::format("{} is cabled to {}", port.str(), other);
}

void add(std::string& detail, const std::string& more) {
  if (!detail.empty()) detail += "; ";
  detail += more;
}

}  // namespace

WireNames::WireNames(const FabricSpec& spec, const WireEvidence& evidence, const WirePorts& ports)
    : ports_{ports}, switches_{spec, ports}, adapters_{spec, evidence, ports, switches_} {
  for (const auto& [name, network] : spec.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports()) {
      const Place found = port.adapter.empty() ? switches_.place(port) : Place{};
      if (found.at) declared_.emplace(*found.at, port);
    }
  }
}

Place WireNames::place(const PortRef& port) const {
  return port.adapter.empty() ? switches_.place(port) : adapters_.place(port);
}

std::optional<PortRef> WireNames::port_at(const WirePlace& place) const {
  const auto declared = declared_.find(place);
  if (declared != declared_.end()) return declared->second;
  if (switches_.owner(place.node) != nullptr) return switches_.port_at(place);
  return adapters_.port_at(place);
}

bool WireNames::may_be(const WirePlace& place, const PortRef& port) const {
  if (!port.adapter.empty()) return adapters_.may_be(place, port);
  const NodeSpec* owner = switches_.owner(place.node);
  if (owner != nullptr) return owner->name == port.node && !declared_.contains(place);
  const IbNodeType type = ports_.nodes()[place.node].type;
  return !switches_.is_found(port.node) &&
         (type == IbNodeType::switch_node || type == IbNodeType::unknown);
}

bool WireNames::needs_no_cable(const WirePlace& a, const WirePlace& b) const {
  const WireNode& one = ports_.nodes()[a.node];
  const WireNode& other = ports_.nodes()[b.node];
  if (is_aggregation_node(one) || is_aggregation_node(other)) return true;
  if (one.type == IbNodeType::router || other.type == IbNodeType::router) return true;
  if (one.system_image && one.system_image == other.system_image && one.type != other.type)
    return true;
  return switches_.in_one_chassis(a.node, b.node);
}

std::string WireNames::text(const WirePlace& place) const {
  if (const std::optional<PortRef> port = port_at(place)) return port->str();
  const WireNode& node = ports_.nodes()[place.node];
  std::string what = "an unknown device";
  if (const NodeSpec* host = adapters_.host_of(place.node)) {
    what = "an adapter of " + host->name.str();
  } else if (is_aggregation_node(node)) {
    what = "an aggregation node";
  } else if (node.type == IbNodeType::router) {
    what = "a router";
  }
  return fmt::format("{}, '{}' ({}) port {}", what, node.name, node.guid.str(), place.port);
}

struct WireCables::End {
  PortRef port;
  Place place;
  WirePort seen;

  bool linked() const { return seen.sight == Sight::linked; }
  bool dark() const { return seen.sight == Sight::no_link; }
  WirePlace peer() const { return {seen.peer_node, seen.peer_port}; }
  bool sees(const End& other) const { return linked() && other.place.at == peer(); }
};

WireCables::WireCables(const FabricSpec& spec, const WireEvidence& evidence)
    : spec_{spec}, evidence_{evidence}, ports_{evidence.views}, names_{spec, evidence, ports_} {}

WireCables::End WireCables::end_at(const PortRef& port) const {
  End end{port, names_.place(port), {}};
  if (end.place.at) end.seen = ports_.port(*end.place.at);
  if (end.place.port_guid && ports_.is_dark(*end.place.port_guid)) end.seen.sight = Sight::no_link;
  return end;
}

std::string WireCables::why_nothing() const {
  for (const WireView& view : evidence_.views) {
    if (!view.topology) return fmt::format("{}: {}", view.from, view.why_not);
  }
  return "no node that was asked can read the subnet";
}

CableReport WireCables::judge(const CableSpec& cable, const NetworkSpec& network) const {
  CableReport report{
      cable.a.value, cable.b.value, network.name, CableState::no_data, {}, cable.range};
  report.infiniband = true;
  report.proof = Proof::subnet;
  const bool looked = std::ranges::any_of(
      evidence_.views, [](const WireView& view) { return view.topology || !view.dark.empty(); });
  if (!looked) {
    report.detail = why_nothing();
    report.lack = WireLack::looker;
    return report;
  }
  report.subnet_read = std::ranges::any_of(
      evidence_.views, [](const WireView& view) { return view.topology.has_value(); });
  const End a = end_at(cable.a.value);
  const End b = end_at(cable.b.value);
  for (const End* end : {&a, &b}) {
    if (end->place.lack == WireLack::node) report.not_seen.push_back(end->port.node);
    if (end->place.lack != WireLack::none) report.lack = end->place.lack;
  }
  if (std::string shared = why_shared(a, b); !shared.empty()) {
    report.detail = std::move(shared);
  } else if (a.linked() || b.linked()) {
    judge_linked(report, a, b);
    if (report.state == CableState::ok) {
      report.detail = link_lack(cable.speed, a.seen, b.seen);
      if (!report.detail.empty()) report.state = CableState::degraded;
    }
  } else {
    judge_dark(report, a, b);
  }
  if (report.state == CableState::no_data && carrier_is_enough(cable) &&
      (a.linked() || b.linked())) {
    report.state = CableState::ok;
    report.detail.clear();
  }
  return report;
}

bool WireCables::carrier_is_enough(const CableSpec& cable) const {
  return carrier_proves(spec_, cable);
}

// Some end has a link.
void WireCables::judge_linked(CableReport& report, const End& a, const End& b) const {
  const bool a_right = a.sees(b);
  const bool b_right = b.sees(a);
  if (!a_right && !b_right) return judge_wrong(report, a, b);
  const End& sure = a_right ? a : b;
  const End& other = a_right ? b : a;
  if (a_right == b_right || other.seen.sight == Sight::unseen) {
    // If the other end was not asked, the answer of one end is enough.
    report.state = CableState::ok;
  } else if (other.dark()) {
    report.state = CableState::one_sided;
    report.detail = fmt::format("no link at {}, but link at {}", other.port.str(), sure.port.str());
  } else {
    report.detail = fmt::format(
        "the two ends disagree, as when a cable is moved while the subnet is read: {}, but {}",
        cabled_to(sure.port, other.port.str()),
        cabled_to(other.port, names_.text(other.peer())));
  }
}

// No end sees the other, and some end sees something else.
void WireCables::judge_wrong(CableReport& report, const End& a, const End& b) const {
  bool wrong = false;
  bool looped = false;
  for (const End* end : {&a, &b}) {
    const End& other = end == &a ? b : a;
    if (!end->linked()) continue;
    const std::optional<PortRef> there = names_.port_at(end->peer());
    add(report.detail, cabled_to(end->port, names_.text(end->peer())));
    // A peer that may be the declared one, as far as known, is not wrong.
    if (!other.place.at && !other.place.port_guid && names_.may_be(end->peer(), other.port)) {
      add(report.detail, other.place.why_not);
      continue;
    }
    wrong = true;
    (end == &a ? report.at_a : report.at_b) = SeenPeer{there, names_.text(end->peer())};
    looped = looped || end->place.at->node == end->peer().node ||
             (there && there->node == end->port.node);
  }
  if (wrong) report.state = looped ? CableState::loopback : CableState::mis_wired;
}

// No source has seen a link at either end.
void WireCables::judge_dark(CableReport& report, const End& a, const End& b) const {
  if (!a.dark() && !b.dark()) {
    const End& end = a.place.why_not.empty() ? b : a;
    report.detail = end.place.why_not.empty() ? fmt::format("{} was not asked", end.port.str())
                                              : end.place.why_not;
    return;
  }
  const End& dark = a.dark() ? a : b;
  if (!dark.seen.doubt.empty()) {
    report.detail = fmt::format(
        "no link was seen at {}, but the subnet was not read completely: {}",
        dark.port.str(),
        dark.seen.doubt);
    return;
  }
  report.state = CableState::missing;
  report.detail =
      a.dark() && b.dark() ? "no link at both ends" : fmt::format("no link at {}", dark.port.str());
}

std::vector<std::string> WireCables::places_of(const WirePlace& port) const {
  std::vector<std::string> texts;
  for (const WirePlace& place : ports_.shared().at(port))
    texts.push_back(names_.text(place));
  return texts;
}

std::string WireCables::why_shared(const End& a, const End& b) const {
  for (const End* end : {&a, &b}) {
    for (const auto& place :
         {end->place.at, end->linked() ? std::optional{end->peer()} : std::nullopt}) {
      if (!place || !ports_.shared().contains(*place)) continue;
      return fmt::format(
          "the GUID {} is at {} at the same time, so it names no adapter",
          ports_.nodes()[place->node].guid.str(),
          join(places_of(*place), " and "));
    }
  }
  return {};
}

std::vector<SharedGuid> WireCables::shared_guids() const {
  std::vector<SharedGuid> found;
  for (const auto& [port, places] : ports_.shared()) {
    const WireNode& node = ports_.nodes()[port.node];
    found.push_back({node.guid, node.name, places_of(port)});
  }
  for (const WireNode& node : ports_.nodes()) {
    const std::uint64_t bits = node.guid.bits();
    const bool nobodys = bits == 0 || bits == std::numeric_limits<std::uint64_t>::max();
    if (nobodys && node.type == IbNodeType::channel_adapter)
      found.push_back({node.guid, node.name, {}});
  }
  return found;
}

WireCables::Accounted WireCables::accounted() const {
  Accounted accounted;
  for (const auto& [name, network] : spec_.networks) {
    if (network.mode.value != Mode::infiniband) continue;
    for (const PortRef& port : network.member_ports()) {
      const Place place = names_.place(port);
      if (place.at) accounted.places.insert(*place.at);
      if (place.lack == WireLack::number) accounted.switches.insert(port.node);
    }
  }
  return accounted;
}

bool WireCables::is_accounted(const Accounted& accounted, const WirePlace& place) const {
  if (accounted.places.contains(place)) return true;
  if (accounted.switches.empty()) return false;
  const std::optional<PortRef> port = names_.port_at(place);
  return port && accounted.switches.contains(port->node);
}

std::optional<UnexpectedCable> WireCables::unexpected_at(const WirePlace& here) const {
  const WirePort port = ports_.port(here);
  const WirePlace there{port.peer_node, port.peer_port};
  const std::optional<PortRef> a = names_.port_at(here);
  const std::optional<PortRef> b = names_.port_at(there);
  if (names_.needs_no_cable(here, there) || (!a && !b)) return std::nullopt;
  if (a && (!b || *a < *b)) return UnexpectedCable{a->str(), names_.text(there)};
  return UnexpectedCable{b->str(), names_.text(here)};
}

std::vector<UnexpectedCable> WireCables::unexpected() const {
  const Accounted accounted = this->accounted();
  std::vector<UnexpectedCable> found;
  for (const auto& [here, there] : ports_.links()) {
    if (is_accounted(accounted, here) || is_accounted(accounted, there)) continue;
    if (std::optional<UnexpectedCable> cable = unexpected_at(here)) found.push_back(*cable);
  }
  std::ranges::sort(found, [](const auto& one, const auto& other) {
    return std::tie(one.a, one.b) < std::tie(other.a, other.b);
  });
  return found;
}

}  // namespace fabric::verify
