// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "engine/verify/verify.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {

namespace {

// What a ring would answer in which `loses` says which ways lose frames. Answers leave by the port
// that was asked.
template <class Loses>
std::vector<PathReport> answers(
    const FabricSpec& spec, const discovery::Snapshot& snapshot, Loses loses) {
  const Topology topology{spec};
  std::vector<PathReport> reports;
  for (const Path& path : paths_to_test(spec, snapshot)) {
    const bool lost =
        loses(topology.route(path.from, path.to)) || loses(topology.route(path.to, path.from));
    PathReport report{path, Passage::lost, Passage::untested, {}};
    if (!lost) report.small = report.full = Passage::passed;
    reports.push_back(report);
  }
  return reports;
}

}  // namespace

TEST_CASE("a small ring is tested between all ports of different nodes", "[verify]") {
  const auto paths = paths_to_test(ring(4), healthy(4));
  CHECK(paths.size() == 8 * 6);
  for (const Path& path : paths)
    CHECK(path.from.node != path.to.node);
  CHECK(paths.front() == Path{port(1, 1), port(2, 1), "storage", "10.30.0.1", "10.30.0.3", 9000});
}

TEST_CASE("a large ring is tested at neighbours, the next behind and the farthest", "[verify]") {
  const FabricSpec spec = ring(9);
  const auto paths = paths_to_test(spec, healthy(9));
  CHECK(paths.size() == 9 * 2 * 3);
  std::set<std::string> from_first;
  for (const Path& path : paths) {
    if (path.from == port(1, 1)) from_first.insert(path.to.str());
  }
  CHECK(from_first == std::set<std::string>{"pve2/cx5/2", "pve3/cx5/2", "pve9/cx5/2"});
}

TEST_CASE("nodes that were not reached are neither asked nor a target", "[verify]") {
  discovery::Snapshot snapshot = healthy(4);
  lose(snapshot, 3, "no route to host");
  for (const Path& path : paths_to_test(ring(4), snapshot)) {
    CHECK(path.from.node != node(3));
    CHECK(path.to.node != node(3));
  }
}

TEST_CASE("the node without chaining is the one on lost ways and on no other", "[verify]") {
  const FabricSpec spec = ring(4);
  const discovery::Snapshot snapshot = healthy(4);
  for (int culprit = 1; culprit <= 4; ++culprit) {
    const auto paths =
        answers(spec, snapshot, [&](const Route& route) { return route.crosses(node(culprit)); });
    const Report report = judge(spec, snapshot, {paths, {}, {}});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].rule == "transit-lost");
    CHECK(
        report.findings[0].message.find("in transit through " + node(culprit).str()) !=
        std::string::npos);
    CHECK(report.findings[0].message.find("chaining is off there") != std::string::npos);
  }
}

TEST_CASE("what ends at the node without chaining is no finding of its own", "[verify]") {
  const FabricSpec spec = ring(4);
  const discovery::Snapshot snapshot = healthy(4);
  // As the lab shows it: pve3 answers by its first port, so pings to its second are lost too.
  const auto paths =
      answers(spec, snapshot, [&](const Route& route) { return route.crosses(node(3)); });
  auto worse = paths;
  for (PathReport& report : worse) {
    if (report.path.to == port(3, 2)) report.small = Passage::lost;
  }
  const Report report = judge(spec, snapshot, {worse, {}, {}});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].rule == "transit-lost");
}

TEST_CASE("two nodes without chaining are both named", "[verify]") {
  const FabricSpec spec = ring(6);
  const discovery::Snapshot snapshot = healthy(6);
  const auto paths = answers(spec, snapshot, [&](const Route& route) {
    return route.crosses(node(2)) || route.crosses(node(5));
  });
  const Report report = judge(spec, snapshot, {paths, {}, {}});
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].message.find("through pve2 ") != std::string::npos);
  CHECK(report.findings[1].message.find("through pve5 ") != std::string::npos);
}

TEST_CASE("a cut cable is one finding, not one per lost path", "[verify]") {
  const FabricSpec spec = ring(4);
  discovery::Snapshot snapshot = healthy(4);
  snapshot.nodes.at(node(1)) = observed(1, link_state(1, false, true), lldp(neighbour(2, 4, 1)));
  snapshot.nodes.at(node(2)) = observed(2, link_state(2, true, false), lldp(neighbour(1, 3, 2)));
  const auto paths = answers(spec, snapshot, [](const Route& route) {
    return std::find(route.cables.begin(), route.cables.end(), 0U) != route.cables.end();
  });
  const Report report = judge(spec, snapshot, {paths, {}, {}});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].rule == "cable-missing");
}

TEST_CASE("a path that nothing explains is lost between two named nodes", "[verify]") {
  const FabricSpec spec = ring(3);
  const discovery::Snapshot snapshot = healthy(3);
  auto paths = answers(spec, snapshot, [](const Route&) { return false; });
  for (PathReport& report : paths) {
    if (report.path.from != port(1, 1) || report.path.to != port(2, 2)) continue;
    report.small = Passage::lost;
    report.detail = "connect: Network is unreachable";
  }
  const Report report = judge(spec, snapshot, {paths, {}, {}});
  REQUIRE(report.findings.size() == 1);
  CHECK(
      report.findings[0].message ==
      "no answer between pve1 and pve2 (pve1/cx5/1 -> pve2/cx5/2): connect: Network is "
      "unreachable");
}

TEST_CASE(
    "full frames lost beside firmware 16.22.1002 name the ends and the firmware", "[verify]") {
  const FabricSpec spec = ring(4, 9000);
  discovery::Snapshot snapshot = healthy(4);
  set_firmware(snapshot, 3, "16.22.1002");
  auto paths = answers(spec, snapshot, [](const Route&) { return false; });
  const Topology topology{spec};
  for (PathReport& report : paths) {
    const Route route = topology.route(report.path.from, report.path.to);
    if (route.crosses(node(3))) report.full = Passage::lost;
  }
  const Report report = judge(spec, snapshot, {paths, {}, {}});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].rule == "mtu-lost");
  CHECK(
      report.findings[0].message.find(
          "pve3 runs firmware 16.22.1002, which chains at most 8150 bytes") != std::string::npos);
  CHECK(report.findings[0].message.find("between pve1/cx5/1 and ") != std::string::npos);
}

TEST_CASE("full frames lost for another reason name both ends", "[verify]") {
  const FabricSpec spec = ring(3, 8000);
  discovery::Snapshot snapshot = healthy(3);
  set_firmware(snapshot, 1, "16.22.1002");  // 8000 is within its limit
  auto paths = answers(spec, snapshot, [](const Route&) { return false; });
  for (PathReport& report : paths) {
    if (report.path.from == port(1, 1) && report.path.to == port(2, 2)) report.full = Passage::lost;
  }
  const Report report = judge(spec, snapshot, {paths, {}, {}});
  REQUIRE(report.findings.size() == 1);
  CHECK(
      report.findings[0].message ==
      "frames of 8000 bytes are lost between pve1/cx5/1 and pve2/cx5/2, but small ones pass");
}

TEST_CASE("a transit node that was not reached is named as not running", "[verify]") {
  const FabricSpec spec = ring(4);
  discovery::Snapshot snapshot = healthy(4);
  lose(snapshot, 3, "pve3: no route to host");
  const auto paths =
      answers(spec, snapshot, [&](const Route& route) { return route.crosses(node(3)); });
  const Report report = judge(spec, snapshot, {paths, {}, {}});
  const Diagnostic* finding = find(report, "transit-lost");
  REQUIRE(finding != nullptr);
  CHECK(finding->message.find("through pve3") != std::string::npos);
  CHECK(finding->message.find("a host that is not running does not forward") != std::string::npos);
}

TEST_CASE("paths that nobody could ping are one finding per reason, not lost paths", "[verify]") {
  const FabricSpec spec = ring(4);
  const discovery::Snapshot snapshot = healthy(4);
  auto paths = answers(spec, snapshot, [](const Route&) { return false; });
  for (PathReport& report : paths) {
    if (report.path.from.node == node(2)) {
      report.small = report.full = Passage::untested;
      report.detail = "ping: not found";
    }
    if (report.path.from == port(3, 1)) {
      report.full = Passage::untested;
      report.detail = "ping: unrecognized option: M";
    }
  }
  const Report report = judge(spec, snapshot, {paths, {}, {}});
  REQUIRE(report.findings.size() == 2);
  for (const Diagnostic& finding : report.findings) {
    CHECK(finding.rule == "path-untested");
    CHECK(finding.severity == Severity::error);
    CHECK(is_incomplete(finding));
  }
  CHECK(
      report.findings[0].message ==
      "12 of 48 paths could not be tested (pve2/cx5/1 -> pve1/cx5/1 and 11 more): ping: not "
      "found");
  CHECK(
      report.findings[1].message ==
      "6 of 48 paths could not be tested (pve3/cx5/1 -> pve1/cx5/1 and 5 more): ping: "
      "unrecognized option: M");
  CHECK(report.findings[0].help == "repair this on pve2, or test these paths by hand");
  CHECK_FALSE(report.ok());
  // Where the other ends told of all of them, they are judged.
  for (PathReport& report_of_third : paths) {
    if (report_of_third.path.from == port(3, 1)) report_of_third.full = Passage::passed;
  }
  const Report told = judge(spec, snapshot, {paths, {}, {}});
  REQUIRE(told.findings.size() == 1);
  CHECK(told.findings[0].severity == Severity::warning);
}

}  // namespace fabric::verify::test
