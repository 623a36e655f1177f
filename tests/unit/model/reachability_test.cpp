// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/reachability.hpp"

#include <functional>

#include <fmt/format.h>

#include "engine/model/topology/path_losses.hpp"

#include "tests/support/catch.hpp"

namespace fabric::reach {
namespace {

NodeName node(std::size_t number) {
  return NodeName::parse(std::string(1, static_cast<char>('a' + number))).value();
}

PortRef port(std::size_t number, std::size_t which) {
  return {node(number), "cx5", std::to_string(which)};
}

IpAddress address(std::size_t number, std::size_t which) {
  return IpAddress::parse(fmt::format("10.30.0.{}", 2 * number + which)).value();
}

struct Settings {
  std::uint32_t arp_ignore = 1, rp_filter = 2;
  bool linkdown = false;
  std::uint32_t metric_step = 0;
  bool source_rules = false;
  bool second_routes = false;  // of the tables of source rules, by the other port
};

// Port 1 of each to port 2 of the next.
Fabric ring(std::size_t hosts, const Settings& settings) {
  Fabric fabric;
  const Subnet subnet = Subnet::parse("10.30.0.0/24").value();
  for (std::size_t i = 0; i < hosts; ++i) {
    Host host{node(i), {}, {}, {}, {{"cx5", true}}};
    for (std::size_t which = 1; which <= 2; ++which) {
      host.ports.push_back(
          {port(i, which),
           {{address(i, which), subnet}},
           true,
           settings.arp_ignore,
           settings.rp_filter,
           settings.linkdown});
      const auto table = static_cast<std::uint32_t>(4100 + which);
      host.routes.push_back(
          {subnet, which - 1, 0, static_cast<std::uint32_t>(which) * settings.metric_step});
      if (!settings.source_rules) continue;
      host.routes.push_back({subnet, which - 1, table, 0});
      if (settings.second_routes) host.routes.push_back({subnet, 2 - which, table, 100});
      host.rules.push_back({address(i, which), table});
    }
    fabric.hosts.push_back(std::move(host));
    fabric.cables.emplace_back(port(i, 1), port((i + 1) % hosts, 2));
  }
  return fabric;
}

Away without_cable(std::size_t hosts, std::size_t number) {
  return {{}, {}, {}, {port(number, 1), port((number + 1) % hosts, 2)}};
}

// "12 21": the pairs of ports of x and y that are left; "all", "-".
std::string left(const Fabric& fabric, const Away& away, std::size_t x, std::size_t y) {
  const Reachability reachability{fabric, away};
  std::string text;
  for (std::size_t one = 1; one <= 2; ++one) {
    for (std::size_t other = 1; other <= 2; ++other) {
      const Verdict verdict =
          reachability.between(port(x, one), address(x, one), port(y, other), address(y, other));
      CHECK(verdict.state != State::unknown);
      CHECK(why(verdict).empty() == (verdict.state == State::kept));
      if (verdict.state == State::kept)
        text += (text.empty() ? "" : " ") + std::to_string(one) + std::to_string(other);
    }
  }
  if (text.empty()) return "-";
  return text == "11 12 21 22" ? "all" : text;
}

// Of a ring of four, what is left of the pairs a-b and a-c: healthy; cable a-b, b-c, c-d gone; port
// 1 of a dead while the other end has a carrier; port 2 of b dead likewise; d away; b away; the
// interface of port 1 of a down.
std::vector<std::string> row(const Settings& settings) {
  const Fabric fabric = ring(4, settings);
  const std::vector<Away> faults{
      {},
      without_cable(4, 0),
      without_cable(4, 1),
      without_cable(4, 2),
      {{}, {}, {}, {port(0, 1)}},
      {{}, {}, {}, {port(1, 2)}},
      {{node(3)}},
      {{node(1)}},
      {{}, {}, {port(0, 1)}, {}}};
  std::vector<std::string> cells;
  for (const Away& away : faults) {
    const std::string to_b = away.nodes.contains(node(1)) ? "" : left(fabric, away, 0, 1);
    cells.push_back(to_b + "/" + left(fabric, away, 0, 2));
  }
  return cells;
}

using Row = std::vector<std::string>;

// As seen on Linux 6.18, with the cards played by what their documents say.
TEST_CASE("what a ring of four keeps is what a kernel keeps", "[model]") {
  CHECK(
      row({0, 0, false}) ==
      Row{"all/all", "-/-", "-/-", "-/-", "-/-", "-/-", "-/-", "/-", "all/all"});
  CHECK(
      row({1, 2, false}) ==
      Row{"all/all", "-/-", "-/-", "-/-", "-/-", "-/-", "-/-", "/-", "21 22/21 22"});
  const Row linkdown{
      "all/all", "21/21", "12/-", "-/12", "21/21", "-/-", "-/12", "/21", "21 22/21 22"};
  CHECK(row({1, 2, true}) == linkdown);
  CHECK(row({1, 2, true, 100}) == linkdown);
  CHECK(
      row({0, 2, true}) ==
      Row{"all/all", "all/all", "all/-", "-/all", "all/all", "-/-", "-/all", "/all", "all/all"});
  const Row source_rules{
      "all/all", "21/21", "12/21", "12/12", "21/21", "21/21", "12/12", "/21", "21 22/21 22"};
  CHECK(row({1, 2, false, 0, true}) == source_rules);
  CHECK(row({1, 2, true, 100, true}) == source_rules);
  CHECK(row({1, 1, true, 100, true}) == source_rules);
}

TEST_CASE("strict reverse path filtering leaves one pair of four in a healthy ring", "[model]") {
  const Fabric fabric = ring(4, {1, 1, false});
  CHECK(left(fabric, {}, 0, 1) == "11");
  CHECK(
      Reachability{fabric, {}}.between(port(0, 1), address(0, 1), port(1, 2), address(1, 2)) ==
      Verdict{State::lost, Cause::no_answer, port(0, 1), std::nullopt});
}

TEST_CASE("a broadcast that only the arrival port hears leaves fewer pairs", "[model]") {
  Fabric plain = ring(4, {1, 2, false});
  Fabric rules = ring(4, {1, 2, true, 100, true});
  Fabric flux = ring(4, {0, 0, true});
  for (Fabric* each : {&plain, &rules, &flux})
    each->broadcast_to_both = false;
  CHECK(left(plain, {}, 0, 1) == "22");
  CHECK(left(rules, {}, 0, 1) == "12 21");
  CHECK(left(flux, {}, 0, 1) == "all");
}

// With source rules the pair that is left is known beforehand: of x and y, clockwise of x, port 1
// to port 2 unless something on that arc is away, and then port 2 to port 1.
TEST_CASE("with source rules one fault leaves each pair of hosts one pair of ports", "[model]") {
  for (std::size_t hosts = 3; hosts <= 6; ++hosts) {
    const Fabric fabric = ring(hosts, {1, 2, true, 100, true});
    for (std::size_t gone = 0; gone < hosts; ++gone) {
      const std::vector<std::pair<Away, bool>> faults{
          {{{node(gone)}}, true},
          {without_cable(hosts, gone), false},
          {{{}, {}, {}, {port(gone, 1)}}, false},
          {{{}, {}, {}, {port((gone + 1) % hosts, 2)}}, false}};
      for (const auto& [away, is_node] : faults) {
        for (std::size_t x = 0; x < hosts; ++x) {
          for (std::size_t y = x + 1; y < hosts; ++y) {
            if (is_node && (x == gone || y == gone)) continue;
            const bool first_arc_is_whole = is_node ? gone < x || gone > y : gone < x || gone >= y;
            CAPTURE(hosts, gone, is_node, x, y);
            CHECK(left(fabric, away, x, y) == (first_arc_is_whole ? "12" : "21"));
          }
        }
      }
    }
  }
}

TEST_CASE("with plain routes any fault takes every pair of every two hosts", "[model]") {
  for (std::size_t hosts = 3; hosts <= 6; ++hosts) {
    const Fabric fabric = ring(hosts, {1, 2, false});
    for (std::size_t gone = 0; gone < hosts; ++gone) {
      for (const Away& away : {Away{{node(gone)}}, without_cable(hosts, gone)}) {
        const Losses losses = losses_of(fabric, working_pairs(fabric, {}), away);
        const std::size_t living = hosts - away.nodes.size();
        CHECK(losses.worked == 2 * living * (living - 1));
        CHECK(losses.lost == losses.worked);
        CHECK(losses.apart.size() == living * (living - 1) / 2);
      }
    }
  }
}

TEST_CASE("pairs of addresses are counted without being made", "[model]") {
  for (std::size_t hosts = 3; hosts <= 6; ++hosts) {
    Fabric fabric = ring(hosts, {1, 2, true});
    CHECK(address_pair_count(fabric) == address_pairs(fabric).size());
    fabric.hosts[1].ports[0].addresses.clear();
    CHECK(address_pair_count(fabric) == address_pairs(fabric).size());
    // In a subnet where no other host has one, it is no pair.
    const Subnet elsewhere = Subnet::parse("10.99.0.0/24").value();
    fabric.hosts[0].ports[1].addresses.push_back({elsewhere.host(1).value(), elsewhere});
    CHECK(address_pair_count(fabric) == address_pairs(fabric).size());
  }
  CHECK(address_pair_count({}) == 0);
}

TEST_CASE(
    "a link that a node holds up while it is away is as one that nobody looks at", "[model]") {
  const Fabric fabric = ring(4, {1, 2, true});
  const Away held{{node(3)}, {}, {}, {}, {port(0, 2), port(2, 1)}};
  const Away ends{{}, {}, {}, {port(3, 1), port(3, 2)}};
  for (const std::size_t to : {1U, 2U})
    CHECK(left(fabric, held, 0, to) == left(fabric, ends, 0, to));
  CHECK(left(fabric, held, 0, 2) != left(fabric, {{node(3)}}, 0, 2));
}

TEST_CASE("the fact that decides is named", "[model]") {
  const Fabric fabric = ring(4, {1, 2, true});
  const auto reason = [&](const Away& away, std::size_t from, std::size_t to) {
    return why(Reachability{fabric, away}.between(
        port(from, 1), address(from, 1), port(to, 2), address(to, 2)));
  };
  CHECK(reason({}, 0, 1).empty());
  // b sends its answer by its first port, and the ring ends at d.
  CHECK(
      reason({{node(3)}}, 0, 1) == "the answer leaves by b/cx5/1 and ends before d, which is down");
  CHECK(
      reason(without_cable(4, 2), 0, 1) ==
      "the answer leaves by b/cx5/1 and ends at c/cx5/1, which has no link");
  const Fabric plain = ring(4, {1, 2, false});
  CHECK(
      why(Reachability{plain, without_cable(4, 0)}.between(
          port(0, 1), address(0, 1), port(1, 2), address(1, 2))) ==
      "the request leaves by a/cx5/1, which has no carrier");
}

TEST_CASE("a card that does not chain ends a ring, and one that nobody knows may", "[model]") {
  Fabric fabric = ring(4, {1, 2, true, 100, true});
  fabric.hosts[3].chaining["cx5"] = false;
  CHECK(left(fabric, {}, 0, 2) == "12");
  CHECK(
      why(Reachability{fabric, {}}.between(port(0, 2), address(0, 2), port(2, 1), address(2, 1))) ==
      "the request leaves by a/cx5/2 and ends at d/cx5/1, whose card does not pass it on");
  fabric.hosts[3].chaining["cx5"] = std::nullopt;
  const Reachability reachability{fabric, {}};
  const auto state = [&](std::size_t one, std::size_t other) {
    return reachability.between(port(0, one), address(0, one), port(2, other), address(2, other))
        .state;
  };
  CHECK(state(1, 2) == State::kept);
  CHECK(state(2, 1) == State::unknown);
  // Nor does anybody know of a node that could not be asked.
  fabric.hosts[3].chaining["cx5"] = true;
  const Away away{{}, {node(3)}};
  CHECK(
      Reachability{fabric, away}
          .between(port(0, 1), address(0, 1), port(2, 2), address(2, 2))
          .state == State::kept);
  CHECK(
      Reachability{fabric, away}
          .between(port(0, 2), address(0, 2), port(2, 1), address(2, 1))
          .state == State::unknown);
}

TEST_CASE("bound to a port, what comes back by the other one is lost", "[model]") {
  const Fabric fabric = ring(4, {0, 2, true});
  const auto bound = [&](std::size_t one, std::size_t other, const Away& away) {
    return Reachability{fabric, away}.between(
        port(0, one), address(0, one), port(1, other), address(1, other), Bound::port);
  };
  CHECK(bound(2, 1, without_cable(4, 0)).state == State::kept);
  CHECK(
      bound(1, 2, without_cable(4, 0)) ==
      Verdict{State::lost, Cause::no_carrier, port(0, 1), port(0, 1)});
}

TEST_CASE("a switch joins its ports, and takes their paths along", "[model]") {
  Fabric fabric;
  const NodeName leaf = NodeName::parse("leaf").value();
  const Subnet subnet = Subnet::parse("10.30.0.0/24").value();
  for (std::size_t i = 0; i < 3; ++i) {
    fabric.hosts.push_back({node(i), {{port(i, 1), {{address(i, 1), subnet}}}}, {{subnet, 0}}});
    fabric.cables.emplace_back(port(i, 1), PortRef{leaf, "", std::to_string(i + 1)});
  }
  fabric.switches.insert(leaf);
  const NetworkNow now{"net", std::move(fabric), {}};
  CHECK(losses_without(now, {}).lost == 0);
  CHECK(losses_without(now, {node(0)}).lost == 0);
  CHECK(losses_without(now, {node(0)}).worked == 1);
  CHECK(losses_without(now, {leaf}).apart.size() == 3);
  CHECK(losses_without(now, {}, {port(0, 1)}).apart.size() == 2);
}

}  // namespace
}  // namespace fabric::reach
