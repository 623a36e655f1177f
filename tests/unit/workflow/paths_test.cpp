// SPDX-License-Identifier: Apache-2.0
// What is predicted of paths, and what pings in a lab then show. The two share no code.
#include "engine/verify/paths/paths.hpp"

#include <set>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/discovery/reach_fabric.hpp"
#include "engine/model/topology/path_losses.hpp"
#include "engine/verify/failover/failover.hpp"

#include "tests/support/from_environment.hpp"
#include "tests/unit/workflow/lab_ring.hpp"

namespace fabric::workflow::test {
namespace {

std::string interface_of(const PortRef& port) {
  return port.port == "1" ? "enp1s0f0np0" : "enp1s0f1np1";
}

// Whatever it is called: a back end that goes by names gives them.
std::string interface_with(LabRing& ring, const PortRef& port, const IpAddress& address) {
  const std::string told = ring.lab.look(port.node, "ip -o addr show", "").standard_output;
  for (const std::string_view line : split_lines(told)) {
    if (line.find(" " + address.str() + "/") != std::string_view::npos)
      return std::string{split_words(line)[1]};
  }
  return interface_of(port);
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
    const bool answered =
        pings(ring, from, is_by_port ? interface_with(ring, from, source) : source.str(), target);
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
      discovery::observed_paths(ring.wanted.document->spec(), planned.snapshot);
  REQUIRE(networks.size() == 1);
  return std::move(networks.front());
}

void wait(LabRing& ring, int seconds) {
  ring.lab.advance(ring.runner.clock().now() + Duration{1000 * seconds});
}

TEST_CASE("what a node or a cable away takes is what was predicted", "[workflow]") {
  for (const int hosts : {3, 4, 6}) {
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
  const auto open_rings = [](const Planned& planned) {
    std::vector<Diagnostic> found = planned.diagnostics.items();
    std::erase_if(found, [](const Diagnostic& each) { return each.rule != "ring-open"; });
    return found;
  };
  const Planned before = ring.plan();
  CHECK(open_rings(before).empty());
  const discovery::Snapshot& healthy = before.snapshot;
  const verify::FailoverReport whole = judged(healthy, pinged(ring, healthy));
  CHECK(whole.state == verify::FailoverState::untested);
  CHECK(whole.detail.find("unplug a cable by hand") != std::string::npos);
  REQUIRE(ring.lab.recable("pve1/cx5/1", "nowhere/1"));
  REQUIRE(ring.lab.recable("elsewhere/1", "nowhere/1"));
  const Planned after = ring.plan();
  // What a plan says of the cable, and of what is lost until it is in again.
  REQUIRE(open_rings(after).size() == 1);
  const std::string said = open_rings(after).front().message;
  CAPTURE(said);
  CHECK(said.find("pve1/cx5/1 - pve2/cx5/2 (") != std::string::npos);
  CHECK(
      said.find(
          "18 of 24 pairs of addresses have no path, but every two hosts still reach each other") !=
      std::string::npos);
  CHECK(
      open_rings(after).front().help.find("fabric graph --cut pve1/cx5/1 pve2/cx5/2") !=
      std::string::npos);
  const discovery::Snapshot& cut = after.snapshot;
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

// What somebody did to some of the hosts, so that not all of them choose alike.
void disorder(LabRing& ring, int hosts, Random& random) {
  for (int number = 1; number <= hosts; ++number) {
    const NodeName host = named("pve" + std::to_string(number));
    const auto set = [&](const char* key, std::uint64_t value) {
      ring.lab.change(host, fmt::format("sysctl -w net.ipv4.conf.all.{}={}", key, value), "");
    };
    if (random.chance(30)) set("arp_ignore", 1 + random.below(2));
    if (random.chance(30)) set("rp_filter", random.below(3));
    if (random.chance(30)) set("ignore_routes_with_linkdown", random.below(2));
    for (const char* rule : {"4501", "4502"}) {
      if (random.chance(30)) ring.lab.change(host, std::string{"ip rule del priority "} + rule, "");
    }
    // Its main route comes behind the other port's.
    if (random.chance(30)) {
      ring.lab.change(host, "ip link set enp1s0f0np0 down", "");
      ring.lab.change(host, "ip link set enp1s0f0np0 up", "");
    }
  }
}

// One to three of them, one after the other.
reach::Away strike(LabRing& ring, int hosts, Random& random) {
  reach::Away away;
  const auto number = [&] {
    return 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(hosts)));
  };
  std::set<int> cut;
  for (std::uint64_t left = 1 + random.below(3); left > 0; --left) {
    const int which = number();
    const NodeName node = named("pve" + std::to_string(which));
    const PortRef one{node, "cx5", "1"};
    const PortRef other{named("pve" + std::to_string(which % hosts + 1)), "cx5", "2"};
    const std::uint64_t kind = random.below(4);
    if (kind < 2 && cut.insert(which).second) {
      const std::string stub = fmt::format("stub{}/1", which);
      REQUIRE(ring.lab.recable(one.str(), stub));
      away.dark.insert(other);
      if (kind == 0) {
        away.lit.insert(one);
        continue;
      }
      REQUIRE(ring.lab.recable(fmt::format("spare{}/1", which), stub));
      away.dark.insert(one);
    } else if (kind == 2 && !away.nodes.contains(node)) {
      REQUIRE(ring.lab.set_fault(node, lab::Fault::no_boot));
      ring.lab.cut_power(node);
      away.nodes.insert(node);
    } else if (kind == 3 && !away.nodes.contains(node)) {
      ring.lab.change(node, "ip link set " + interface_of(one) + " down", "");
      away.closed.insert(one);
    }
  }
  return away;
}

// FABRIC_RING_SEEDS=200 plays many.
TEST_CASE("of random rings and faults what is predicted is what pings show", "[workflow]") {
  const std::size_t many = fabric::test::number_from_environment("FABRIC_RING_SEEDS", 2);
  // A cable in something else, whose node goes off afterwards: its other end keeps its carrier.
  std::set<std::size_t> seeds{138};
  for (std::size_t seed = 1; seed <= many; ++seed)
    seeds.insert(seed);
  for (const std::size_t seed : seeds) {
    CAPTURE(seed);
    Random random{seed};
    const int hosts = 3 + static_cast<int>(random.below(4));
    LabRing ring{hosts};
    REQUIRE(ring.apply() == ExitCode::done);
    disorder(ring, hosts, random);
    const reach::NetworkNow now = observe(ring);
    const reach::Away away = strike(ring, hosts, random);
    if (now.fabric.hosts.size() > away.nodes.size() + 1) check_prediction(ring, now, away);
  }
}

TEST_CASE("one node away leaves every two others a pair, with any back end", "[workflow]") {
  for (const auto& [backend, hosts] :
       {std::pair{"networkd", 4},
        {"ifupdown", 4},
        {"ifupdown2", 3},
        {"ifcfg", 4},
        {"netplan", 3},
        {"networkmanager", 3}}) {
    CAPTURE(backend);
    lab::LabSpec reality;
    for (int number = 1; number <= hosts; ++number)
      reality.hosts["pve" + std::to_string(number)].backend = backend;
    LabRing ring{hosts, reality};
    REQUIRE(ring.apply() == ExitCode::done);
    const reach::NetworkNow now = observe(ring);
    const std::size_t others = static_cast<std::size_t>(hosts) - 1;
    for (const reach::Host& host : now.fabric.hosts) {
      CHECK(host.rules.size() == 2);
      const reach::Losses losses = reach::losses_without(now, {host.node});
      CHECK(losses.apart.empty());
      CHECK(losses.left.size() == others * (others - 1) / 2);
    }
    REQUIRE(ring.lab.set_fault(named("pve2"), lab::Fault::no_boot));
    ring.lab.cut_power(named("pve2"));
    check_prediction(ring, now, {{named("pve2")}});
  }
}

TEST_CASE("tables by source are made in a ring that runs without a link going down", "[workflow]") {
  LabRing ring{3};
  REQUIRE(ring.apply() == ExitCode::done);
  for (const char* rule : {"4501", "4502"})
    ring.lab.change(named("pve2"), std::string{"ip rule del priority "} + rule, "");
  const Planned planned = ring.plan();
  CHECK(planned.plan.impact.reboots == 0);
  CHECK(planned.plan.impact.link_flaps == 0);
  std::vector<std::string> actions;
  for (const plans::Action& action : planned.plan.actions)
    actions.push_back(action.draft.kind);
  CHECK(
      actions == std::vector<std::string>{"network.activate", "network.activate", "health.check"});
  REQUIRE(ring.apply() == ExitCode::done);
  CHECK(ring.plan().plan.actions.empty());
  // They are given back with the network.
  REQUIRE(ring.apply(ring.without_network, ring.plan(ring.without_network).plan) == ExitCode::done);
  CHECK(
      ring.lab.look(named("pve2"), "ip rule show", "").standard_output.find("4501") ==
      std::string::npos);
}

TEST_CASE("nothing works in a ring that is not set up yet, so nothing is lost", "[workflow]") {
  LabRing ring{3};
  const Planned first = ring.plan();
  CHECK(first.plan.impact.reboots == 3);
  CHECK(first.plan.impact.paths_lost.empty());
  // Hosts of the lab were installed before they were switched on: no file of theirs is new.
  for (const Diagnostic& each : first.diagnostics.items())
    CHECK(each.rule != "boot-activates");
}

}  // namespace
}  // namespace fabric::workflow::test
