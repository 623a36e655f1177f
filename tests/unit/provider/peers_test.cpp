// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/peers.hpp"

#include "engine/model/resource_keys.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using fabric::test::address;
using fabric::test::node;

namespace {

using Guids = std::map<std::string, std::string, std::less<>>;

// Tells what it was given.
Provider teller(
    std::string_view kind,
    const std::map<NodeName, Guids>& shown,
    const std::map<NodeName, Guids>& noted) {
  const auto of_node = [](const std::map<NodeName, Guids>& guids) {
    return [guids](const Resource&, const NodeFacts& facts) {
      const auto found = guids.find(facts.node);
      return found == guids.end() ? Guids{} : found->second;
    };
  };
  return {
      .kind = kind,
      .probes = [] { return std::vector<Probe>{}; },
      .observe = [](std::span<const Resource>,
                    const NodeFacts&,
                    Diagnostics&) { return std::vector<Observation>{}; },
      .port_guids = of_node(shown),
      .noted_guids = of_node(noted),
      .disruption = always(Disruption::none),
      .work = [](const Change&, const WorkContext&) -> Result<Work> {
        return Work{};
      }};
}

NodeFacts facts_of(const char* name) {
  return NodeFacts{.node = node(name)};
}

// What the manager of m1 is told, where m1 and m2 can be read and have these notes.
Map known(
    const std::map<NodeName, Guids>& shown,
    const std::map<NodeName, Guids>& noted,
    const Map& declared = {},
    const Guids& seen = {}) {
  Registry registry;
  registry.add(platform::linux_platform());
  registry.add(Platform::linux, teller("subnet_manager", shown, noted));
  std::vector<Resource> resources{
      Resource{address("m1/subnet_manager/ib.hca.1"), {}, {}, {}, {}},
      Resource{address("m2/subnet_manager/ib.hca.1"), {}, {}, {}, {}}};
  resources[0].binding.emplace(keys::kPeers, List{"m1/hca/1", "n3/hca/1", "n4/hca/1"});
  if (!declared.empty()) resources[0].binding.emplace(keys::kDeclaredGuids, declared);
  const Bindings bindings =
      port_guid_bindings(resources, {facts_of("m1"), facts_of("m2")}, registry, seen);
  return *bindings.at(resources[0].address).find(keys::kPortGuids)->second.as_map();
}

}  // namespace

TEST_CASE("a node that is off is known by the document, or by what managers noted", "[provider]") {
  const std::map<NodeName, Guids> shown{{node("m1"), {{"m1/hca/1", "0xa1"}}}};
  CHECK(known(shown, {}) == Map{{"m1/hca/1", "0xa1"}});
  CHECK(
      known(shown, {{node("m2"), {{"n3/hca/1", "0xb3"}}}}) ==
      Map{{"m1/hca/1", "0xa1"}, {"n3/hca/1", "0xb3"}});
  // The document is right, and a node itself more so.
  CHECK(
      known(shown, {{node("m2"), {{"n3/hca/1", "0xb3"}}}}, {{"n3/hca/1", "0xc3"}}) ==
      Map{{"m1/hca/1", "0xa1"}, {"n3/hca/1", "0xc3"}});
  CHECK(
      known(shown, {{node("m2"), {{"m1/hca/1", "0xff"}}}}, {{"m1/hca/1", "0xc1"}}) ==
      Map{{"m1/hca/1", "0xa1"}});
  // Nobody who is not asked for.
  CHECK(known(shown, {{node("m2"), {{"n9/hca/1", "0xb9"}}}}) == Map{{"m1/hca/1", "0xa1"}});
}

TEST_CASE(
    "what was noted of a card that is elsewhere now, or in two ways, is nothing", "[provider]") {
  // The card of n3 is in m1 by now.
  CHECK(
      known({{node("m1"), {{"m1/hca/1", "0xb3"}}}}, {{node("m2"), {{"n3/hca/1", "0xb3"}}}}) ==
      Map{{"m1/hca/1", "0xb3"}});
  CHECK(
      known(
          {},
          {{node("m1"), {{"n3/hca/1", "0xb3"}, {"n4/hca/1", "0xb4"}}},
           {node("m2"), {{"n3/hca/1", "0xb5"}, {"n4/hca/1", "0xb4"}}}}) ==
      Map{{"n4/hca/1", "0xb4"}});
}

TEST_CASE("what the subnet shows now wins over what was noted once", "[provider]") {
  const std::map<NodeName, Guids> shown{{node("m1"), {{"m1/hca/1", "0xa1"}}}};
  const std::map<NodeName, Guids> noted{{node("m2"), {{"n3/hca/1", "0xb3"}, {"n4/hca/1", "0xc3"}}}};
  // The card of n4 is in n3 by now.
  CHECK(
      known(shown, noted, {}, {{"n3/hca/1", "0xc3"}, {"m1/hca/1", "0xff"}}) ==
      Map{{"m1/hca/1", "0xa1"}, {"n3/hca/1", "0xc3"}});
}
