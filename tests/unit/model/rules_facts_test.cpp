// SPDX-License-Identifier: Apache-2.0
#include "engine/model/rules/facts.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/model/ring_spec.hpp"

namespace fabric {
namespace {

using test::kAdapterPlace;
using test::kModePlace;
using test::kMtuPlace;
using test::name;
using test::place;
using test::ring;

HostFacts host(const std::string& node, const std::string& firmware) {
  return {name(node), "5.10.0-28-amd64", "", {{"cx5", firmware, 4, 16}}};
}

std::vector<std::string> findings(const FabricSpec& spec, const std::vector<HostFacts>& hosts) {
  Diagnostics diagnostics;
  check_fact_rules(spec, hosts, diagnostics);
  std::vector<std::string> result;
  for (const Diagnostic& item : diagnostics.items()) {
    result.push_back(
        std::string{to_string(item.severity)} + " " + item.rule + " " +
        std::to_string(item.range.begin));
  }
  return result;
}

using Findings = std::vector<std::string>;

TEST_CASE("an MTU of 9000 through firmware 16.22.1002 is an error at the MTU", "[model]") {
  const std::string at = std::to_string(kMtuPlace);
  CHECK(
      findings(ring(2), {host("n1", "16.35.4030"), host("n2", "16.22.1002")}) ==
      Findings{"error chain-mtu-firmware " + at});
  // Older firmware has nobody's word for it.
  CHECK(
      findings(ring(2), {host("n1", "16.20.1000")}) ==
      Findings{"warning chain-mtu-firmware " + at});
  CHECK(findings(ring(2), {host("n1", "")}).empty());
  FabricSpec small = ring(2);
  small.networks.at("storage").mtu.value = 8150;
  CHECK(findings(small, {host("n1", "16.22.1002")}).empty());
}

TEST_CASE("firmware below the minimum is an error at the minimum", "[model]") {
  FabricSpec spec = ring(2);
  spec.nodes.at(name("n1")).adapters.edit().front().firmware.minimum = {"16.35.4030", place(7)};
  CHECK(findings(spec, {host("n1", "16.35.2000")}) == Findings{"error firmware-too-old 7"});
  CHECK(findings(spec, {host("n1", "16.35.4030")}).empty());
}

TEST_CASE("two nodes with one identity are an error", "[model]") {
  const auto with = [](const std::string& node, std::uint64_t guid, const char* mac) {
    HostFacts facts = host(node, "16.35.4030");
    facts.adapters.front().port_guids.emplace(1, Guid{guid});
    facts.adapters.front().macs.emplace(1, *MacAddress::parse(mac));
    return facts;
  };
  const std::string at = std::to_string(kAdapterPlace + 2);
  const HostFacts first = with("n1", 0xa0, "0c:42:a1:00:00:01");
  CHECK(findings(ring(2), {first, with("n2", 0xa1, "0c:42:a1:00:00:02")}).empty());
  CHECK(
      findings(ring(2), {first, with("n2", 0xa0, "0c:42:a1:00:00:02")}) ==
      Findings{"error identity-duplicate " + at});
  CHECK(
      findings(ring(2), {first, with("n2", 0xa1, "0c:42:a1:00:00:01")}) ==
      Findings{"error identity-duplicate " + at});
  for (const std::uint64_t nobodys : {~std::uint64_t{0}, std::uint64_t{0}}) {
    CHECK(
        findings(
            ring(2),
            {with("n1", nobodys, "0c:42:a1:00:00:01"), with("n2", nobodys, "0c:42:a1:00:00:02")}) ==
        Findings{
            "error identity-duplicate " + std::to_string(kAdapterPlace + 1),
            "error identity-duplicate " + at});
  }
  // Hosts of one multi-host card.
  HostFacts one = first;
  HostFacts other = with("n2", 0xa0, "0c:42:a1:00:00:01");
  one.adapters.front().system_image = other.adapters.front().system_image = "0x00000000000000f0";
  CHECK(findings(ring(2), {one, other}).empty());
  other.adapters.front().system_image = "0x00000000000000f1";
  CHECK(findings(ring(2), {one, other}).size() == 2);
}

TEST_CASE("a BlueField in DPU mode is told where a network uses it", "[model]") {
  HostFacts facts = host("n1", "18.35.4030");
  CHECK(findings(ring(2), {facts}).empty());
  facts.adapters.front().dpu_mode = true;
  CHECK(
      findings(ring(2), {facts}) ==
      Findings{"warning bluefield-mode " + std::to_string(kAdapterPlace + 1)});
  FabricSpec unused = ring(2);
  unused.networks.clear();
  CHECK(findings(unused, {facts}).empty());
}

TEST_CASE("RoCE LAG needs kernel 4.9 and MLNX_OFED 4.0", "[model]") {
  FabricSpec spec = ring(2);
  spec.networks.at("storage").mode.value = Mode::lag;
  HostFacts facts = host("n1", "16.35.4030");
  const std::string finding = "error lag-kernel-too-old " + std::to_string(kModePlace);
  facts.kernel = "4.4.0-210-generic";
  CHECK(findings(spec, {facts}) == Findings{finding});
  facts.kernel = "4.19.0-25-amd64";
  CHECK(findings(spec, {facts}).empty());
  facts.mlnx_ofed = "3.4-2.0.0.0";
  CHECK(findings(spec, {facts}) == Findings{finding});
  LagSpec plain;
  plain.policy = {"active-backup", {}};
  plain.roce = Sourced<bool>{false, {}};
  spec.networks.at("storage").lag = plain;
  CHECK(findings(spec, {facts}).empty());
}

TEST_CASE(
    "a PCIe link below the rate of a port is a warning, below that of both an information",
    "[model]") {
  const std::string at = std::to_string(kAdapterPlace + 1);
  HostFacts facts = host("n1", "16.35.4030");
  facts.adapters.front().pcie_generation = 3;
  CHECK(findings(ring(2), {facts}) == Findings{"info pcie-bandwidth " + at});
  facts.adapters.front().pcie_width = 8;
  CHECK(findings(ring(2), {facts}) == Findings{"warning pcie-bandwidth " + at});
  // A card of 25 Gb/s has room there, whatever others of its family can do.
  facts.adapters.front().link_gbps = {{1, 25}, {2, 25}};
  CHECK(findings(ring(2), {facts}).empty());
  facts.adapters.front().pcie_generation.reset();
  CHECK(findings(ring(2), {facts}).empty());
}

TEST_CASE("facts of nodes that the document does not have are nobody's business", "[model]") {
  CHECK(findings(ring(2), {host("n9", "16.22.1002")}).empty());
}

}  // namespace
}  // namespace fabric
