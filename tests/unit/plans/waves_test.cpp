// SPDX-License-Identifier: Apache-2.0
#include "plans/waves.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/random.hpp"

#include "tests/support/catch.hpp"

using namespace fabric;
using namespace fabric::plans;

namespace {

NodeName name(std::size_t number) {
  return NodeName::parse(fmt::format("n{:05}", number)).value();
}

Ring ring_of(std::size_t count) {
  Ring ring{"storage", {}};
  for (std::size_t i = 0; i < count; ++i)
    ring.nodes.push_back(name(i));
  return ring;
}

std::set<NodeName> first(std::size_t count) {
  std::set<NodeName> nodes;
  for (std::size_t i = 0; i < count; ++i)
    nodes.insert(name(i));
  return nodes;
}

using Groups = std::vector<std::vector<NodeName>>;

Groups nodes_of(const WavePlan& plan) {
  Groups nodes;
  for (const Wave& wave : plan.waves)
    nodes.push_back(wave.nodes);
  return nodes;
}

}  // namespace

TEST_CASE("a switch whose peer is down is held back", "[plans]") {
  const AntiAffinity apart{{}, {}, {{name(0), name(1), ""}, {name(0), name(2), "lan"}}};
  Down down;
  down.unreached.insert(name(1));
  const NodeWithheld held = why_withheld(name(0), down, apart, {9, {}});
  CHECK(held.why.find("n00001, the other switch of its pair, is not reachable") == 0);
  CHECK(held.release.find("n00001") != std::string::npos);
  // A host is no pair.
  Down host;
  host.unreached.insert(name(2));
  CHECK(why_withheld(name(0), host, apart, {9, {}}).why.empty());
}

TEST_CASE("a switch is not in the wave of its peer, nor of a host that has no other", "[plans]") {
  const AntiAffinity apart{{}, {}, {{name(0), name(1), ""}, {name(0), name(2), "lan"}}};
  const WavePlan plan = assign_waves({first(3), {}, {}, {}}, apart, {9, {}});
  CHECK(plan.wave_of.at(name(0)) == 1);
  CHECK(plan.wave_of.at(name(1)) == 2);
  CHECK(plan.wave_of.at(name(2)) == 2);
  REQUIRE(apart.of(name(0)).size() == 2);
  CHECK(
      AntiAffinity::sentence(name(0), apart.of(name(0))[0]) ==
      "n00001 and n00000 are a pair of switches, so one stays up");
  CHECK(
      AntiAffinity::sentence(name(0), apart.of(name(0))[1]) ==
      "n00002 and n00000 are a switch and a host that has no other, so one stays up");
  CHECK(
      AntiAffinity::mutex(name(0), apart.of(name(0))[1]) ==
      AntiAffinity::mutex(name(2), apart.of(name(2))[0]));
}

TEST_CASE("hosts that lose traffic with their switch count as down beside it", "[plans]") {
  WaveInputs inputs{first(4), {}, {}, {}};
  inputs.behind = {{name(0), {name(2), name(3)}}};
  const AntiAffinity nobody{std::vector<Ring>{}};
  const WavePlan three = assign_waves(inputs, nobody, {3, {}});
  CHECK(nodes_of(three) == Groups{{name(0)}, {name(1), name(2), name(3)}});
  const WavePlan four = assign_waves(inputs, nobody, {4, {}});
  CHECK(nodes_of(four) == Groups{{name(0), name(1)}, {name(2), name(3)}});
  // No wave has room for all of them, and still the switch must go: alone.
  inputs.disturbed = {name(0), name(1)};
  const WavePlan two = assign_waves(inputs, nobody, {2, {}});
  CHECK(nodes_of(two) == Groups{{name(0)}, {name(1)}});
  // It is not put into a wave that others have begun.
  inputs.behind = {{name(1), {name(2), name(3)}}};
  const WavePlan later = assign_waves(inputs, nobody, {3, {}});
  CHECK(nodes_of(later) == Groups{{name(0)}, {name(1)}});
  CHECK(later.waves[0].why == "n00001 interrupts n[00002-00003] as well");
}

TEST_CASE("hosts behind a switch count in their own failure domains", "[plans]") {
  FabricSpec spec;
  spec.rollout.per.value = "rack";
  for (std::size_t i = 0; i < 3; ++i) {
    NodeSpec node{name(i)};
    node.labels["rack"].value = i == 0 ? "r1" : "r2";
    spec.nodes.emplace(name(i), std::move(node));
  }
  const AntiAffinity nobody{std::vector<Ring>{}};
  WaveInputs inputs{{name(0), name(2)}, {}, {}, {}};
  const Rollout rollout{1, {}, FailureDomains{spec}};
  CHECK(nodes_of(assign_waves(inputs, nobody, rollout)) == Groups{{name(0), name(2)}});
  inputs.behind = {{name(0), {name(1)}}};
  CHECK(nodes_of(assign_waves(inputs, nobody, rollout)) == Groups{{name(0)}, {name(2)}});
}

TEST_CASE("two switches that interrupt one host never share a wave", "[plans]") {
  WaveInputs inputs{first(2), {}, {}, {}};
  inputs.behind = {{name(0), {name(5), name(6)}}, {name(1), {name(6)}}};
  const WavePlan plan = assign_waves(inputs, AntiAffinity{std::vector<Ring>{}}, {9, {}});
  CHECK(nodes_of(plan) == Groups{{name(0)}, {name(1)}});
  CHECK(plan.waves[0].why == "n00000 and n00001 both interrupt n00006");
}

TEST_CASE("one node at a time is the default, in order of name", "[plans]") {
  const WavePlan plan = assign_waves({first(3), {}, {}, {}}, AntiAffinity{{ring_of(3)}}, {});
  CHECK(nodes_of(plan) == Groups{{name(0)}, {name(1)}, {name(2)}});
  CHECK(plan.waves[0].why == "at most 1 node down at a time (rollout.max_unavailable)");
}

TEST_CASE("neighbours of a ring never share a wave, others do", "[plans]") {
  const WavePlan plan = assign_waves({first(4), {}, {}, {}}, AntiAffinity{{ring_of(4)}}, {4, {}});
  CHECK(nodes_of(plan) == Groups{{name(0), name(2)}, {name(1), name(3)}});
  CHECK(plan.waves[0].why == "ring storage: n00000 and n00001 are neighbours, so one stays up");
}

TEST_CASE("managers of a subnet never share a wave, and the last one is left alone", "[plans]") {
  const AntiAffinity pair{{}, {{"ib", {name(0), name(2)}}}};
  const WavePlan plan = assign_waves({first(3), {}, {}, {}}, pair, {4, {}});
  CHECK(nodes_of(plan) == Groups{{name(0), name(1)}, {name(2)}});
  CHECK(plan.waves[0].why == "n00000 and n00002 manage the subnet of ib, so one stays up");
  CHECK(
      why_withheld(name(2), {{name(0)}, {}}, pair, {4, {}}).why ==
      "no other subnet manager of ib can be reached; disturbing this node would leave the subnet "
      "without one");
  CHECK(why_withheld(name(1), {{name(0)}, {}}, pair, {4, {}}).why.empty());
  const AntiAffinity three{{}, {{"ib", {name(0), name(1), name(2)}}}};
  CHECK(why_withheld(name(2), {{name(0)}, {}}, three, {4, {}}).why.empty());
  CHECK_FALSE(why_withheld(name(2), {{name(0), name(1)}, {}}, three, {4, {}}).why.empty());
}

TEST_CASE(
    "two hosts without which others fall apart never share a wave, neighbours do", "[plans]") {
  const AntiAffinity apart{
      {{"ring", {name(0), name(2)}, false, true}, {"ring", {name(1), name(3)}, false, true}}};
  const WavePlan plan = assign_waves({first(4), {}, {}, {}}, apart, {4, {}});
  CHECK(nodes_of(plan) == Groups{{name(0), name(1)}, {name(2), name(3)}});
  CHECK(
      AntiAffinity::sentence(name(0), apart.of(name(0)).front()) ==
      "network ring: without n00002 and n00000 the other hosts lose each other, so one stays up");
  Down down;
  down.unreached.insert(name(2));
  CHECK(
      why_withheld(name(0), down, apart, {9, {}}).why ==
      "n00002 in network ring is not reachable, and if this node went down too the other hosts "
      "would lose each other");
  CHECK(why_withheld(name(1), down, apart, {9, {}}).why.empty());
}

TEST_CASE("an odd ring needs a third wave", "[plans]") {
  const WavePlan plan = assign_waves({first(5), {}, {}, {}}, AntiAffinity{{ring_of(5)}}, {9, {}});
  CHECK(plan.waves.size() == 3);
}

TEST_CASE("canaries come first and alone", "[plans]") {
  const WavePlan plan =
      assign_waves({first(6), {}, {}, {}}, AntiAffinity{{ring_of(6)}}, {3, {"n00004", "n00001"}});
  CHECK(nodes_of(plan)[0] == std::vector<NodeName>{name(1), name(4)});
  CHECK(plan.waves[0].why.starts_with("canary first"));
  CHECK(nodes_of(plan)[1] == std::vector<NodeName>{name(0), name(2)});
}

TEST_CASE("the limit counts within each failure domain", "[plans]") {
  FabricSpec spec;
  spec.rollout.per.value = "rack";
  for (std::size_t i = 0; i < 5; ++i) {
    NodeSpec node{name(i)};
    node.labels["rack"].value = i < 3 ? "r1" : "r2";
    spec.nodes.emplace(name(i), std::move(node));
  }
  const Rollout rollout{1, {}, FailureDomains{spec}};
  const AntiAffinity nobody{std::vector<Ring>{}};
  const WavePlan plan = assign_waves({first(5), {}, {}, {}}, nobody, rollout);
  CHECK(nodes_of(plan) == Groups{{name(0), name(3)}, {name(1), name(4)}, {name(2)}});
  CHECK(
      plan.waves[0].why == "at most 1 node of each rack down at a time (rollout.max_unavailable)");
  CHECK(why_withheld(name(4), {{name(0)}, {}}, nobody, rollout).why.empty());
  CHECK(
      why_withheld(name(1), {{name(0)}, {}}, nobody, rollout).why ==
      "rollout.max_unavailable is 1 in rack 'r1' and n00000 is already unreachable");
  const WavePlan beside =
      assign_waves({{name(3), name(4)}, {{name(0)}, {}}, {}, {}}, nobody, rollout);
  CHECK(nodes_of(beside) == Groups{{name(3)}, {name(4)}});
}

TEST_CASE("who is down counts, and cuts the ring already", "[plans]") {
  const AntiAffinity neighbours{{ring_of(4)}};
  CHECK(
      why_withheld(name(2), {{name(0)}, {}}, neighbours, {1, {}}).why ==
      "rollout.max_unavailable is 1 and n00000 is already unreachable");
  CHECK(
      why_withheld(name(1), {{name(0)}, {}}, neighbours, {2, {}}).why ==
      "its neighbour n00000 in ring storage is not reachable, and the ring must not be cut "
      "further");
  CHECK(why_withheld(name(2), {{name(0)}, {}}, neighbours, {2, {}}).why.empty());
  const WavePlan plan = assign_waves({{name(2)}, {{name(0)}, {}}, {}, {}}, neighbours, {2, {}});
  CHECK(
      plan.waves.at(0).why ==
      "at most 2 nodes down at a time (rollout.max_unavailable), 1 already unreachable");
}

TEST_CASE("an offline node makes a ring a chain, of which only the ends may go", "[plans]") {
  const AntiAffinity ring{{ring_of(5)}};
  const Down down{{}, {name(0)}};
  CHECK(why_withheld(name(1), down, ring, {1, {}}).why.empty());
  CHECK(why_withheld(name(4), down, ring, {1, {}}).why.empty());
  const NodeWithheld inner = why_withheld(name(2), down, ring, {1, {}});
  CHECK(
      inner.why ==
      "ring storage is cut at n00000, and n00001 and n00003 reach each other only through n00002");
  CHECK(inner.release == "bring n00000 back, or cable the ring past it");
  CHECK(why_withheld(name(2), down, ring, {9, {}}).why == inner.why);
  // Nothing goes through a card that does not forward.
  CHECK(why_withheld(name(2), down, ring, {1, {}}, {{"storage", name(2)}}).why.empty());
  CHECK_FALSE(why_withheld(name(2), down, ring, {1, {}}, {{"other", name(2)}}).why.empty());
  // Of a node that does not answer nobody knows whether its card forwards: its neighbours stay.
  for (std::size_t i : {1U, 4U})
    CHECK_FALSE(why_withheld(name(i), {{name(0)}, {}}, ring, {9, {}}).why.empty());
  CHECK_FALSE(why_withheld(name(1), {{name(0)}, {name(3)}}, ring, {9, {}}).why.empty());
  // Two of them leave chains of their own, and one that stands alone.
  const Down two{{}, {name(0), name(2)}};
  for (std::size_t i : {1U, 3U, 4U})
    CHECK(why_withheld(name(i), two, ring, {1, {}}).why.empty());
  // A chain that never was a ring is cut by each of its nodes, whoever else is down.
  Ring open = ring_of(5);
  open.closed = false;
  CHECK(why_withheld(name(3), down, AntiAffinity{{open}}, {1, {}}).why.empty());
}

TEST_CASE("offline nodes count, and never take the last place", "[plans]") {
  const AntiAffinity nobody{std::vector<Ring>{}};
  const Down offline{{}, {name(0), name(1)}};
  for (const std::uint32_t most : {1U, 2U, 3U}) {
    CHECK(why_withheld(name(3), offline, nobody, {most, {}}).why.empty());
    const WavePlan plan = assign_waves({{name(3), name(4)}, offline, {}, {}}, nobody, {most, {}});
    CHECK(nodes_of(plan) == Groups{{name(3)}, {name(4)}});
  }
  const WavePlan four = assign_waves({{name(3), name(4)}, offline, {}, {}}, nobody, {4, {}});
  CHECK(nodes_of(four) == Groups{{name(3), name(4)}});
  // Somebody nobody knows of takes what is left.
  const NodeWithheld held = why_withheld(name(3), {{name(2)}, offline.offline}, nobody, {1, {}});
  CHECK(
      held.why == "rollout.max_unavailable is 1 and n00002 is already unreachable, and 2 offline");
  CHECK(
      held.release ==
      "bring n00002 back, or name it if known to be down: --offline n00002; or raise "
      "rollout.max_unavailable");
  const AntiAffinity managers{{}, {{"ib", {name(0), name(3)}}}};
  CHECK(
      why_withheld(name(3), offline, managers, {4, {}}).release ==
      "bring n00000 back, or place a manager on another node");
}

TEST_CASE("the machine that fabric runs on comes last, disturbed or not", "[plans]") {
  const AntiAffinity nobody{std::vector<Ring>{}};
  const WavePlan disturbed =
      assign_waves({first(3), {}, {}, {}, name(0)}, nobody, {9, {name(0).str()}});
  CHECK(nodes_of(disturbed) == Groups{{name(1), name(2)}, {name(0)}});
  CHECK(
      disturbed.waves.back().why.find("n00000 is the machine that fabric runs on") !=
      std::string::npos);
  const WavePlan staged =
      assign_waves({{name(1)}, {}, {name(0), name(2)}, {}, name(0)}, nobody, {});
  CHECK(staged.wave_of.at(name(0)) == 2);
  CHECK(staged.wave_of.at(name(2)) == 0);
  // Nobody else has anything to do.
  CHECK(assign_waves({{}, {}, {name(0)}, {}, name(0)}, nobody, {}).wave_of.at(name(0)) == 0);
  // Whoever waits for it comes after it all the same.
  const WavePlan waited =
      assign_waves({first(3), {}, {}, {{name(0), name(2)}}, name(0)}, nobody, {});
  CHECK(nodes_of(waited) == Groups{{name(1)}, {name(0)}, {name(2)}});
}

TEST_CASE("work that nobody notices has no wave, unless it waits for one", "[plans]") {
  const WavePlan plan = assign_waves(
      {{name(0), name(1)}, {}, {name(2), name(3)}, {{name(1), name(2)}}},
      AntiAffinity{std::vector<Ring>{}},
      {});
  const std::map<NodeName, std::uint32_t> expected{
      {name(0), 1}, {name(1), 2}, {name(2), 2}, {name(3), 0}};
  CHECK(plan.wave_of == expected);
}

TEST_CASE("nobody's wave is before that of a node it waits for", "[plans]") {
  const WavePlan plan =
      assign_waves({first(3), {}, {}, {{name(2), name(0)}}}, AntiAffinity{std::vector<Ring>{}}, {});
  CHECK(plan.wave_of.at(name(2)) < plan.wave_of.at(name(0)));
}

TEST_CASE(
    "where the document says how many may be down, offline nodes take all places", "[plans]") {
  FabricSpec spec;
  spec.rollout.max_unavailable = {2, SourceRange{FileId{1}, 1, 2}};
  const AntiAffinity nobody{std::vector<Ring>{}};
  const Rollout rollout{2, {}, FailureDomains{spec}};
  CHECK(why_withheld(name(3), {{}, {name(0)}}, nobody, rollout).why.empty());
  const NodeWithheld held = why_withheld(name(3), {{}, {name(0), name(1)}}, nobody, rollout);
  CHECK(held.why == "rollout.max_unavailable is 2 and 2 nodes are known to be offline");
  CHECK(held.release == "bring them back, or raise rollout.max_unavailable");
}

TEST_CASE("two cards of one node make it no neighbour of itself", "[plans]") {
  Ring ring = ring_of(3);
  ring.nodes.push_back(name(0));
  const AntiAffinity neighbours{{ring}};
  for (const auto& neighbour : neighbours.of(name(0)))
    CHECK(neighbour.node != name(0));
}

TEST_CASE("random rollouts keep every limit", "[plans]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random{seed};
    const std::size_t count = 2 + random.below(30);
    const AntiAffinity neighbours{{ring_of(count)}};
    const Rollout rollout{
        static_cast<std::uint32_t>(1 + random.below(5)), {name(random.below(count)).str()}};
    WaveInputs inputs;
    for (std::size_t i = 0; i < count; ++i) {
      if (random.chance(10))
        inputs.down.unreached.insert(name(i));
      else if (random.chance(5))
        inputs.down.offline.insert(name(i));
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (inputs.down.contains(name(i)) || !random.chance(80)) continue;
      if (why_withheld(name(i), inputs.down, neighbours, rollout).why.empty())
        inputs.disturbed.insert(name(i));
    }
    const WavePlan plan = assign_waves(inputs, neighbours, rollout);
    std::size_t placed = 0;
    for (const Wave& wave : plan.waves) {
      INFO("seed " << seed << " wave " << wave.number);
      placed += wave.nodes.size();
      CHECK_FALSE(wave.nodes.empty());
      const std::size_t offline = inputs.down.offline.size();
      CHECK(wave.nodes.size() + inputs.down.unreached.size() <= rollout.max_unavailable);
      CHECK((wave.nodes.size() == 1 || wave.nodes.size() + offline <= rollout.max_unavailable));
      for (const NodeName& node : wave.nodes) {
        for (const auto& neighbour : neighbours.of(node)) {
          CHECK_FALSE(inputs.down.unreached.contains(neighbour.node));
          CHECK(std::count(wave.nodes.begin(), wave.nodes.end(), neighbour.node) == 0);
        }
        CHECK(neighbours.joints(node, inputs.down).empty());
      }
    }
    CHECK(placed == inputs.disturbed.size());
  }
}

TEST_CASE("10,000 nodes one at a time are as easy as 10,000 together", "[plans]") {
  const AntiAffinity neighbours{{ring_of(10'000)}};
  CHECK(assign_waves({first(10'000), {}, {}, {}}, neighbours, {1, {}}).waves.size() == 10'000);
  CHECK(assign_waves({first(10'000), {}, {}, {}}, neighbours, {10'000, {}}).waves.size() == 2);
}
