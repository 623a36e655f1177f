// SPDX-License-Identifier: Apache-2.0
// What is predicted of paths, and what pings in a lab then show. The two share no code.
#include "engine/verify/paths/paths.hpp"

#include "engine/model/topology/path_losses.hpp"
#include "engine/verify/failover/ring_failover.hpp"
#include "engine/verify/paths/reach_fabric.hpp"

#include "tests/unit/workflow/lab_ring.hpp"

namespace fabric::workflow::test {
namespace {

std::string interface_of(const PortRef& port) {
  return port.port == "1" ? "enp1s0f0np0" : "enp1s0f1np1";
}

bool pings(
    LabRing& ring, const PortRef& from, const std::string& bound_to, const IpAddress& target) {
  const std::string line = "ping -c 1 -W 1 -I " + bound_to + " " + target.str();
  return ring.lab.look(from.node, line, "").exit_status == 0;
}

// Of every two addresses of hosts that are there, bound to the address and to the port.
void check_prediction(LabRing& ring, const reach::NetworkNow& before, const reach::Away& after) {
  const reach::Reachability reachability{before.fabric, after};
  std::vector<std::string> wrong;
  std::size_t seen = 0;
  const auto compare = [&](const PortRef& from,
                           const IpAddress& source,
                           const PortRef& to,
                           const IpAddress& target,
                           reach::Bound bound) {
    const reach::Verdict verdict = reachability.between(from, source, to, target, bound);
    const bool is_by_port = bound == reach::Bound::port;
    const bool answered = pings(ring, from, is_by_port ? interface_of(from) : source.str(), target);
    ++seen;
    if (verdict.state != (answered ? reach::State::kept : reach::State::lost))
      wrong.push_back(
          from.str() + " " + to.str() + (is_by_port ? " by port" : "") + ": " + why(verdict));
  };
  for (const reach::AddressPair& pair : reach::address_pairs(before.fabric)) {
    if (after.nodes.contains(pair.a.node) || after.nodes.contains(pair.b.node)) continue;
    for (const reach::Bound bound : {reach::Bound::address, reach::Bound::port}) {
      compare(pair.a, pair.of_a, pair.b, pair.of_b, bound);
      compare(pair.b, pair.of_b, pair.a, pair.of_a, bound);
    }
  }
  CHECK(seen > 0);
  CHECK(wrong == std::vector<std::string>{});
}

reach::NetworkNow observe(LabRing& ring) {
  const Planned planned = ring.plan();
  std::vector<reach::NetworkNow> networks =
      verify::observed_paths(ring.wanted.document->spec(), planned.snapshot);
  REQUIRE(networks.size() == 1);
  return std::move(networks.front());
}

void wait(LabRing& ring, int seconds) {
  ring.lab.advance(ring.runner.clock().now() + Duration{1000 * seconds});
}

TEST_CASE("what a node or a cable away takes is what was predicted", "[workflow]") {
  for (int hosts = 3; hosts <= 6; ++hosts) {
    CAPTURE(hosts);
    LabRing ring{hosts};
    REQUIRE(ring.apply() == ExitCode::done);
    const reach::NetworkNow now = observe(ring);
    CHECK(now.away.dark.empty());
    CHECK(now.away.unknown.empty());
    check_prediction(ring, now, now.away);
    const auto node = [](int number) {
      return named("pve" + std::to_string(number));
    };
    for (int gone = 1; gone <= hosts; ++gone) {
      const PortRef one{node(gone), "cx5", "1"};
      const PortRef other{node(gone % hosts + 1), "cx5", "2"};
      CAPTURE(gone);
      // Its own end has a carrier, of whatever it is plugged into now.
      REQUIRE(ring.lab.recable(one.str(), "nowhere/1"));
      check_prediction(ring, now, {{}, {}, {}, {other}});
      REQUIRE(ring.lab.recable("elsewhere/1", "nowhere/1"));
      check_prediction(ring, now, {{}, {}, {}, {one, other}});
      REQUIRE(ring.lab.recable(one.str(), other.str()));
    }
    check_prediction(ring, now, now.away);
    REQUIRE(ring.lab.set_fault(node(hosts), lab::Fault::no_boot));
    ring.lab.cut_power(node(hosts));
    REQUIRE(ring.lab.power(node(hosts)) != lab::Power::up);
    check_prediction(ring, now, {{node(hosts)}});
  }
}

TEST_CASE("what an interface that is down takes is what was predicted", "[workflow]") {
  LabRing ring{4};
  REQUIRE(ring.apply() == ExitCode::done);
  const reach::NetworkNow now = observe(ring);
  const PortRef port{named("pve2"), "cx5", "1"};
  ring.lab.change(port.node, "ip link set " + interface_of(port) + " down", "");
  check_prediction(ring, now, {{}, {}, {port}, {}});
}

TEST_CASE("a card that does not pass on is known as one", "[workflow]") {
  LabRing ring{4};
  REQUIRE(ring.apply() == ExitCode::done);
  ring.lab.change(named("pve3"), "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0", "");
  ring.lab.cut_power(named("pve3"));
  wait(ring, 600);
  REQUIRE(ring.lab.power(named("pve3")) == lab::Power::up);
  const reach::NetworkNow now = observe(ring);
  check_prediction(ring, now, now.away);
}

std::vector<verify::PathReport> pinged(LabRing& ring, const discovery::Snapshot& snapshot) {
  std::vector<verify::PathReport> reports;
  for (const verify::Path& path : verify::paths_to_test(ring.wanted.document->spec(), snapshot)) {
    const bool passes =
        pings(ring, path.from, path.from_interface, IpAddress::parse(path.to_address).value());
    const verify::Passage passage = passes ? verify::Passage::passed : verify::Passage::lost;
    reports.push_back({path, passage, passage, {}});
  }
  return reports;
}

TEST_CASE("fail-over of a ring is judged by what somebody has unplugged", "[workflow]") {
  LabRing ring{4};
  REQUIRE(ring.apply() == ExitCode::done);
  const FabricSpec& spec = ring.wanted.document->spec();
  const auto judged = [&](const discovery::Snapshot& snapshot,
                          const std::vector<verify::PathReport>& paths) {
    const std::vector<verify::FailoverReport> reports =
        verify::ring_failovers(spec, snapshot, paths);
    REQUIRE(reports.size() == 1);
    return reports.front();
  };
  const discovery::Snapshot healthy = ring.plan().snapshot;
  const verify::FailoverReport whole = judged(healthy, pinged(ring, healthy));
  CHECK(whole.state == verify::FailoverState::untested);
  CHECK(whole.detail.find("unplug a cable by hand") != std::string::npos);
  REQUIRE(ring.lab.recable("pve1/cx5/1", "nowhere/1"));
  REQUIRE(ring.lab.recable("elsewhere/1", "nowhere/1"));
  const discovery::Snapshot cut = ring.plan().snapshot;
  std::vector<verify::PathReport> paths = pinged(ring, cut);
  const verify::FailoverReport passed = judged(cut, paths);
  CHECK(passed.state == verify::FailoverState::passed);
  CHECK(passed.failover.port.str() == "pve1/cx5/1");
  CHECK(passed.received == passed.sent);
  CHECK(passed.sent > 0);
  CHECK(passed.sent < paths.size());
  for (verify::PathReport& path : paths)
    path.small = verify::Passage::lost;
  const verify::FailoverReport failed = judged(cut, paths);
  CHECK(failed.state == verify::FailoverState::failed);
  CHECK(failed.received == 0);
}

TEST_CASE("nothing works in a ring that is not set up yet, so nothing is lost", "[workflow]") {
  LabRing ring{3};
  const Planned first = ring.plan();
  CHECK(first.plan.impact.reboots == 3);
  CHECK(first.plan.impact.paths_lost.empty());
}

}  // namespace
}  // namespace fabric::workflow::test
