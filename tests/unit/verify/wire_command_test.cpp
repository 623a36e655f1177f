// SPDX-License-Identifier: Apache-2.0
// What a node says of its subnets, and whom to ask.
#include "engine/verify/cables/wire_vantage.hpp"
#include "providers/linux/machine/paths/subnet_records.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/leaf_pair.hpp"

namespace fabric::verify::test {
namespace {

TEST_CASE("each look of a node keeps its text and its warnings", "[verify][wire]") {
  const platform::SubnetLooks answer = platform::parse_subnet_looks(
      named("c1"),
      {0,
       "fabric-wire\n== look mlx5_0 1 c42a103008b40d0 0\nvendid=0x2c9\nSwitch ...\n"
       "== look mlx5_1 1 c42a103008b40d1 255\n\n== dark mlx5_2 1 aa01\n== virtual mlx5_3 1 aa02\n"
       "== missing mlx5_4 1 aa03\n== look mlx5_5 1 aa04 124\n\n",
       "== look mlx5_0 1\nsrc/query_smp.c:195; bad status 110\n== look mlx5_1 1\nibwarn: x\n"
       "ibnetdiscover: iberror: failed: discover failed\n"});
  REQUIRE(answer.looks.size() == 6);
  CHECK(answer.looks[0].from == "c1 (mlx5_0/1)");
  CHECK(answer.looks[0].text == "vendid=0x2c9\nSwitch ...\n");
  CHECK(answer.looks[0].errors == "src/query_smp.c:195; bad status 110\n");
  CHECK(answer.looks[0].why_not.empty());
  CHECK(
      answer.looks[1].why_not ==
      "ibnetdiscover failed: ibnetdiscover: iberror: failed: discover failed");
  CHECK(answer.looks[2].why_not == "the port has no link");
  REQUIRE(answer.dark.size() == 1);
  CHECK(answer.dark[0] == Guid{0xaa01});
  CHECK(answer.looks[3].why_not.find("virtual function") != std::string::npos);
  CHECK(answer.looks[4].why_not == "ibnetdiscover is not installed (infiniband-diags)");
  CHECK(answer.looks[5].why_not == "ibnetdiscover did not end within 120 s");
}

TEST_CASE(
    "a node without InfiniBand and an answer that is none say why there is nothing",
    "[verify][wire]") {
  CHECK(
      platform::parse_subnet_looks(named("c1"), {0, "fabric-wire\n", ""}).looks.at(0).why_not ==
      "the node has no InfiniBand port");
  CHECK(
      platform::parse_subnet_looks(named("c1"), {0, "motd\n", ""}).looks.at(0).why_not ==
      "unexpected output");
}

std::string asked_next(
    const FabricSpec& spec, const WireEvidence& evidence, const std::set<NodeName>& asked) {
  std::string text;
  for (const NodeName& node :
       next_vantages(spec, evidence, {named("c1"), named("c2"), named("c3")}, asked))
    text += node.str() + " ";
  return text;
}

TEST_CASE(
    "one node of a subnet is asked, its manager first, another while something is unknown",
    "[verify][wire]") {
  FabricSpec spec = leaf_pair();
  CHECK(asked_next(spec, {}, {}) == "c1 ");
  spec.networks.at("compute").subnet_managers.push_back({{}, {"c3", {}}, {}, {}});
  CHECK(asked_next(spec, {}, {}) == "c3 ");
  CHECK(asked_next(spec, {}, {named("c3")}) == "c1 ");
  CHECK(asked_next(spec, {}, {named("c1"), named("c2"), named("c3")}).empty());
  CHECK(asked_next(spec, Subnet::healthy().seen(), {named("c3")}).empty());
  // Nobody else knows which port of the subnet that is.
  spec.networks.at("compute").cables.back().a.value.port = "1/36/1";
  CHECK(asked_next(spec, Subnet::healthy().seen(), {named("c3")}).empty());
}

}  // namespace
}  // namespace fabric::verify::test
