// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/links/links.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/unit/verify/found.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {
namespace {

using Change = std::function<void(std::vector<LinkReport>& links)>;

LinkReport& at(std::vector<LinkReport>& links, int number, int which) {
  return *std::find_if(links.begin(), links.end(), [&](const LinkReport& link) {
    return link.port == port(number, which);
  });
}

// Sound links of 100 Gb/s, optical, in slots of 16 lanes.
std::vector<LinkReport> sound(int nodes) {
  std::vector<LinkReport> links;
  for (int number = 1; number <= nodes; ++number) {
    for (const int which : {1, 2}) {
      LinkReport link{port(number, which), "ens1f" + std::to_string(which - 1), {}, {}, {}, {}, {}};
      link.reading.has_link = true;
      link.reading.speed_mbps = 100'000;
      link.reading.capable_mbps = 100'000;
      link.reading.fec = {"RS", {"Auto"}, 0};
      platform::ModuleReading module;
      module.identifier = "QSFP28";
      module.part_number = "SR4";
      module.temperature = 41;
      module.received_dbm = {-0.5, -0.7};
      link.reading.module = module;
      link.reading.pcie = {3, 16, 3, 16, 4, 16, 0, 0, 0};
      link.reading.effective_ber = 0;
      link.firmware = "16.35.2000";
      link.psid = "MT_0000000008";
      link.model = "cx5";
      links.push_back(link);
    }
  }
  return links;
}

std::vector<Diagnostic> judged(const FabricSpec& spec, const Change& change) {
  std::vector<LinkReport> links = sound(static_cast<int>(spec.nodes.size()));
  change(links);
  return found_by([&](Findings& findings) { add_link_findings(spec, links, findings); });
}

std::vector<std::string> rules(const std::vector<Diagnostic>& findings) {
  std::vector<std::string> names;
  for (const Diagnostic& finding : findings)
    names.push_back(finding.rule);
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("sound links have no finding", "[verify]") {
  CHECK(judged(ring(3), [](auto&) {}).empty());
}

TEST_CASE("a link slower than both ports can do is told, unless the document says so", "[verify]") {
  const Change slow = [](std::vector<LinkReport>& links) {
    at(links, 1, 1).reading.speed_mbps = 25'000;
    at(links, 2, 2).reading.speed_mbps = 25'000;
  };
  FabricSpec spec = ring(3);
  const std::vector<Diagnostic> found = judged(spec, slow);
  REQUIRE(rules(found) == Names{"link-below-capability"});
  CHECK(
      found[0].message ==
      "the link between pve1/cx5/1 and pve2/cx5/2 runs at 25 Gb/s, but both ports can do 100 Gb/s");
  spec.networks.at("storage").cables[0].speed = "25G";
  CHECK(judged(spec, slow).empty());
  // One end that can do no more is no fault of the link.
  CHECK(judged(ring(3), [&](std::vector<LinkReport>& links) {
          slow(links);
          at(links, 2, 2).reading.capable_mbps = 25'000;
        }).empty());
}

TEST_CASE("FEC is compared between the ends, by family", "[verify]") {
  CHECK(rules(judged(ring(3), [](std::vector<LinkReport>& links) {
          at(links, 1, 1).reading.fec.active = "BaseR";
        })) == Names{"fec-differs"});
  CHECK(judged(ring(3), [](std::vector<LinkReport>& links) {
          at(links, 1, 1).reading.fec.active = "Standard RS-FEC - RS(528,514)";
        }).empty());
  CHECK(rules(judged(ring(3), [](std::vector<LinkReport>& links) {
          at(links, 1, 1).reading.fec.uncorrectable_blocks = 4;
        })) == Names{"fec-uncorrectable"});
}

TEST_CASE("a module is judged by its own limits, else by those of its kind", "[verify]") {
  const auto module = [](const auto& change) {
    return rules(judged(
        ring(3), [&](std::vector<LinkReport>& links) { change(*at(links, 1, 1).reading.module); }));
  };
  using platform::ModuleReading;
  CHECK(module([](ModuleReading& it) { it.temperature = 70; }) == Names{"module-hot"});
  CHECK(module([](ModuleReading& it) {
          it.temperature = 70;
          it.temperature_most = 75;
        }).empty());
  CHECK(module([](ModuleReading& it) {
          it.received_dbm = {-0.5, -11};
          it.received_least = -10;
        }) == Names{"module-dark"});
  CHECK(module([](ModuleReading& it) {
          it.received_dbm = {-0.5, -std::numeric_limits<double>::infinity()};
        }) == Names{"module-dark"});
  CHECK(module([](ModuleReading& it) {
          it.received_dbm = {-0.5, -std::numeric_limits<double>::infinity()};
          it.copper = true;
        }).empty());
  CHECK(module([](ModuleReading& it) {
          it.alarms = {"Module voltage high alarm"};
        }) == Names{"module-alarm"});
}

TEST_CASE("bit errors are judged before and after FEC", "[verify]") {
  const auto errors = [](std::optional<double> raw, std::optional<double> effective) {
    return rules(judged(ring(3), [&](std::vector<LinkReport>& links) {
      at(links, 1, 1).reading.raw_ber = raw;
      at(links, 1, 1).reading.effective_ber = effective;
    }));
  };
  CHECK(errors(1e-6, 1e-16).empty());
  CHECK(errors(1e-4, 0) == Names{"bit-errors-high"});
  CHECK(errors(1e-6, 1e-12) == Names{"bit-errors-high"});
}

TEST_CASE("a slot is judged by what both card and slot can do, and told once a card", "[verify]") {
  const auto slot = [](const auto& change) {
    return rules(judged(ring(3), [&](std::vector<LinkReport>& links) {
      for (const int which : {1, 2})
        change(at(links, 1, which).reading.pcie);
    }));
  };
  using platform::PcieReading;
  CHECK(slot([](PcieReading& it) { it.width = 8; }) == Names{"pcie-link-degraded"});
  CHECK(slot([](PcieReading& it) { it.generation = 2; }) == Names{"pcie-link-degraded"});
  // A card of 16 lanes in a slot of 8 does what it can there.
  CHECK(slot([](PcieReading& it) {
          it.width = 8;
          it.slot_width = 8;
        }).empty());
  CHECK(slot([](PcieReading& it) { it.uncorrectable = 1; }) == Names{"pcie-errors"});
  CHECK(slot([](PcieReading& it) { it.correctable = 999; }).empty());
  CHECK(slot([](PcieReading& it) { it.correctable = 1000; }) == Names{"pcie-errors"});
}

TEST_CASE("a cable is compared with what its plug tells", "[verify]") {
  const auto plug = [](double metres, const char* part) {
    return [=](std::vector<LinkReport>& links) {
      at(links, 1, 1).reading.module->copper = true;
      at(links, 1, 1).reading.module->cable_metres = metres;
      at(links, 1, 1).reading.module->part_number = part;
    };
  };
  FabricSpec spec = ring(3);
  CableSpec& cable = spec.networks.begin()->second.cables.front();
  const Change two_metres = plug(2, "MCP1600-C002E30N");
  CHECK(judged(spec, two_metres).empty());
  for (const char* length : {"2", "2m", "1.5 m", "200cm", "6ft"}) {
    CAPTURE(length);
    cable.length = length;
    CHECK(judged(spec, two_metres).empty());
  }
  for (const char* length : {"3", "0.5m", "50 cm"}) {
    CAPTURE(length);
    cable.length = length;
    CHECK(rules(judged(spec, two_metres)) == Names{"cable-differs"});
  }
  cable.length.clear();
  for (const char* type : {"dac", "100g-aoc", "MCP1600", "MCP1600-C002", "mcp1600-c003"}) {
    CAPTURE(type);
    cable.type = type;
    CHECK(judged(spec, two_metres).empty());
  }
  cable.type = "MCP1600-C003";
  const std::vector<Diagnostic> found = judged(spec, two_metres);
  REQUIRE(rules(found) == Names{"cable-differs"});
  CHECK(
      found.front().message.find("a MCP1600-C002E30N, but the document says MCP1600-C003") !=
      std::string::npos);
}

TEST_CASE("what is wrong at a broken cable is its consequence", "[verify]") {
  const FabricSpec spec = ring(3);
  std::vector<LinkReport> links = sound(3);
  at(links, 1, 1).reading.module->temperature = 90;
  Findings findings;
  findings.broken_cables.emplace(
      0, findings.add({Severity::error, "cable-missing", {}, "there is no cable", {}, {}}));
  add_link_findings(spec, links, findings);
  const Findings::Linked linked = std::move(findings).link();
  REQUIRE(linked.findings.size() == 2);
  CHECK(linked.cause_of.at(1) == 0);
}

TEST_CASE(
    "equal cards with other firmware, and addresses that two nodes have, are told", "[verify]") {
  const FabricSpec spec = ring(3);
  std::vector<LinkReport> links = sound(3);
  const discovery::Snapshot snapshot = healthy(3);
  const discovery::Evidence evidence{spec, snapshot};
  const auto found = [&] {
    return found_by(
        [&](Findings& findings) { add_card_findings(spec, evidence, links, findings); });
  };
  CHECK(found().empty());
  at(links, 3, 1).firmware = at(links, 3, 2).firmware = "16.28.1002";
  REQUIRE(rules(found()) == Names{"firmware-not-uniform"});
  CHECK(
      found()[0].message ==
      "cx5 cards with the PSID MT_0000000008 run 2 firmwares: 16.28.1002 at pve3, 16.35.2000 at "
      "pve[1-2]");
  // Boards of another maker have their own firmware.
  at(links, 3, 1).psid = at(links, 3, 2).psid = "DEL0000000004";
  CHECK(found().empty());
  // The second node has the card of the first, by its addresses.
  discovery::Snapshot copied = healthy(3);
  copied.nodes.at(node(2)) = observed(2, link_state(1), "");
  const discovery::Evidence with_copy{spec, copied};
  const std::vector<Diagnostic> duplicates =
      found_by([&](Findings& findings) { add_card_findings(spec, with_copy, links, findings); });
  REQUIRE(rules(duplicates) == Names{"address-duplicate"});
  CHECK(duplicates[0].severity == Severity::error);
  CHECK(
      duplicates[0].message ==
      "pve1/cx5/1 and pve2/cx5/1 have the same address, 0c:42:a1:00:01:01");
}

TEST_CASE("how a node has set up the slot of a fast card is told once a card", "[verify]") {
  const FabricSpec spec = ring(3);
  const discovery::Snapshot snapshot = healthy(3);
  const discovery::Evidence evidence{spec, snapshot};
  std::vector<LinkReport> links = sound(3);
  const auto found = [&] {
    return rules(
        found_by([&](Findings& findings) { add_card_findings(spec, evidence, links, findings); }));
  };
  for (const int which : {1, 2}) {
    at(links, 2, which).reading.pcie.read_request = 512;
    at(links, 2, which).reading.pcie.iommu_domain = "DMA-FQ";
    at(links, 3, which).reading.pcie.read_request = 4096;
    at(links, 3, which).reading.pcie.iommu_domain = "identity";
  }
  CHECK(found() == Names{"read-request-small", "iommu-translates"});
  for (const int which : {1, 2})
    at(links, 2, which).reading.capable_mbps = 25'000;
  CHECK(found().empty());
}

TEST_CASE("the node that is not like the others is named, with what differs", "[verify]") {
  const FabricSpec spec = ring(4);
  std::vector<LinkReport> links = sound(4);
  const discovery::Snapshot snapshot = healthy(4);
  const auto found = [&] {
    return found_by([&](Findings& findings) { add_odd_findings(spec, snapshot, links, findings); });
  };
  CHECK(found().empty());
  at(links, 3, 2).reading.module->part_number = "LR4";
  REQUIRE(rules(found()) == Names{"node-odd"});
  CHECK(found()[0].message == "cx5/2: module is LR4 at pve3, and SR4 at pve[1-2,4]");
  at(links, 4, 2).reading.module->part_number = "LR4";
  CHECK(
      found()[0].message ==
      "cx5/2: module is LR4 at pve[3-4], SR4 at pve[1-2]: no value is that of most nodes of this "
      "kind");
  // What nobody knows of a node is not compared.
  at(links, 3, 2).reading.module.reset();
  at(links, 4, 2).reading.module.reset();
  CHECK(found().empty());
}

TEST_CASE("a card without buffers for a priority is told where it stands in a chain", "[verify]") {
  const Change change = [](std::vector<LinkReport>& links) {
    at(links, 3, 1).reading.chaining_without_buffers = {3, 5};
  };
  const std::vector<Diagnostic> found = judged(ring(4), change);
  REQUIRE(rules(found) == std::vector<std::string>{"chain-buffers-zero"});
  CHECK(
      found.front().message ==
      "pve3/cx5 has no buffers for frames of other hosts with the priorities 3, 5, and drops them");
  FabricSpec plain = ring(4);
  plain.networks.at("storage").mode.value = Mode::ethernet;
  CHECK(judged(plain, change).empty());
}

}  // namespace
}  // namespace fabric::verify::test
