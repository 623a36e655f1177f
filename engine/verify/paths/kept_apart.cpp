// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/kept_apart.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/verify/paths/endpoints.hpp"

namespace fabric::verify {

namespace {

// The most paths to try for a pair of sides; a wire or a partition that joins them joins all.
constexpr std::size_t kMostPaths = 4;

struct Place {
  Endpoint end;
  std::string network, vlan;
};

bool is_of(const IsolatedSide& side, const NetworkSpec& network, const VlanSpec* vlan) {
  if (!side.network.empty() && side.network != network.name) return false;
  if (!side.vlan.empty()) return vlan != nullptr && vlan->name == side.vlan;
  if (!side.partition.empty()) return vlan != nullptr && vlan->partition.value == side.partition;
  return true;
}

std::vector<Place> places_of(
    const FabricSpec& spec, const IsolatedSide& side, const discovery::Evidence& evidence) {
  std::vector<Place> places;
  const auto add = [&](const NetworkSpec& network, const VlanSpec* vlan) {
    if (!is_of(side, network, vlan)) return;
    const std::string name = vlan == nullptr ? std::string{} : vlan->name;
    for (const Endpoint& end : endpoints(spec, network, evidence, name)) {
      const bool is_meant = side.nodes.empty() ||
                            std::binary_search(side.nodes.begin(), side.nodes.end(), end.node());
      if (is_meant && !end.device.empty() && !end.address.empty())
        places.push_back({end, network.name, name});
    }
  };
  for (const auto& [name, network] : spec.networks) {
    add(network, nullptr);
    for (const VlanSpec& vlan : network.vlans)
      add(network, &vlan);
  }
  return places;
}

Path path_of(const Place& from, const Place& to) {
  return {
      from.end.port(), to.end.port(), from.network, from.end.device, to.end.address, 0, from.vlan};
}

}  // namespace

std::string_view to_string(Apart apart) {
  return apart == Apart::proven ? "apart" : apart == Apart::broken ? "joined" : "unproven";
}

std::vector<std::vector<Path>> paths_that_must_fail(
    const FabricSpec& spec, const discovery::Snapshot& snapshot) {
  std::vector<std::vector<Path>> paths(spec.isolated.size());
  if (spec.isolated.empty()) return paths;
  const discovery::Evidence evidence{spec, snapshot};
  for (std::size_t i = 0; i < spec.isolated.size(); ++i) {
    const std::vector<Place> a = places_of(spec, spec.isolated[i].a, evidence);
    const std::vector<Place> b = places_of(spec, spec.isolated[i].b, evidence);
    const std::size_t most = std::min(kMostPaths, std::max(a.size(), b.size()));
    if (a.empty() || b.empty()) continue;
    // Spread over both sides: from the first of the one to the first of the other, to the last.
    std::set<Path> chosen;
    for (std::size_t n = 0; n < most; ++n) {
      const Place& from = a[n * a.size() / most];
      const Place& to = b[n * b.size() / most];
      if (from.end.node() != to.end.node()) chosen.insert(path_of(from, to));
    }
    paths[i].assign(chosen.begin(), chosen.end());
  }
  return paths;
}

std::vector<ApartReport> judge_apart(
    const FabricSpec& spec,
    const std::vector<std::vector<Path>>& wanted,
    const std::vector<PathReport>& tried,
    const std::vector<PathReport>& paths) {
  std::set<PortRef> works;  // ports that reach what they must reach
  for (const PathReport& path : paths) {
    if (path.small == Passage::passed) works.insert(path.path.from);
  }
  std::map<Path, const PathReport*> answers;
  for (const PathReport& each : tried)
    answers.emplace(each.path, &each);
  std::vector<ApartReport> reports;
  for (std::size_t i = 0; i < spec.isolated.size(); ++i) {
    const IsolatedPair& pair = spec.isolated[i];
    ApartReport report{
        i,
        pair.a.text,
        pair.b.text,
        Apart::unproven,
        0,
        "a side has no address to ping from or to"};
    for (const Path& path : wanted[i]) {
      const auto answer = answers.find(path);
      const Passage passage = answer == answers.end() ? Passage::untested : answer->second->small;
      if (passage == Passage::passed) {
        report.state = Apart::broken;
        report.detail = fmt::format(
            "{} reaches {} at {}", path.from.str(), path.to_address, path.to.node.str());
        break;
      }
      if (passage == Passage::lost && works.contains(path.from)) {
        report.state = Apart::proven;
        ++report.lost;
        report.detail.clear();
      } else if (report.state == Apart::unproven) {
        report.detail = fmt::format(
            "{} reaches no address that it must reach, so that a lost ping proves nothing",
            path.from.str());
      }
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

void add_apart_findings(
    const FabricSpec& spec, const std::vector<ApartReport>& reports, Findings& findings) {
  for (const ApartReport& report : reports) {
    if (report.state == Apart::proven) continue;
    const bool is_broken = report.state == Apart::broken;
    findings.add(
        {Severity::error,
         is_broken ? "isolation-broken" : "isolation-unproven",
         spec.isolated[report.pair].a.range,
         is_broken
             ? fmt::format("{} and {} are not kept apart: {}", report.a, report.b, report.detail)
             : fmt::format(
                   "nothing proves that {} and {} are kept apart: {}",
                   report.a,
                   report.b,
                   report.detail),
         is_broken ? "look for a cable, a VLAN, a route or a host that forwards; `fabric plan` "
                     "shows differences from the document"
                   : "let a path of that port pass first, or give both sides addresses",
         {},
         {}});
  }
}

}  // namespace fabric::verify
