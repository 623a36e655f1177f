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

TEST_CASE("one node at a time is the default, in order of name", "[plans]") {
  const WavePlan plan = assign_waves({first(3), {}, {}, {}}, AntiAffinity{{ring_of(3)}}, {});
  CHECK(nodes_of(plan) == Groups{{name(0)}, {name(1)}, {name(2)}});
  CHECK(plan.waves[0].why == "at most 1 node down at a time (rollout.max_unavailable)");
}

TEST_CASE("neighbours of a ring never share a wave, others do", "[plans]") {
  const WavePlan plan = assign_waves({first(4), {}, {}, {}}, AntiAffinity{{ring_of(4)}}, {4, {}});
  CHECK(nodes_of(plan) == Groups{{name(0), name(2)}, {name(1), name(3)}});
  CHECK(plan.waves[0].why == "ring storage: n00000 and n00001 are neighbours, never down together");
}

TEST_CASE("managers of a subnet never share a wave, and the last one is left alone", "[plans]") {
  const AntiAffinity pair{{}, {{"ib", {name(0), name(2)}}}};
  const WavePlan plan = assign_waves({first(3), {}, {}, {}}, pair, {4, {}});
  CHECK(nodes_of(plan) == Groups{{name(0), name(1)}, {name(2)}});
  CHECK(plan.waves[0].why == "n00000 and n00002 manage the subnet of ib, never down together");
  CHECK(
      held_back(name(2), {name(0)}, pair, {4, {}}) ==
      "no other manager of the subnet of ib is reachable, and it must not lose its last");
  CHECK(held_back(name(1), {name(0)}, pair, {4, {}}).empty());
  const AntiAffinity three{{}, {{"ib", {name(0), name(1), name(2)}}}};
  CHECK(held_back(name(2), {name(0)}, three, {4, {}}).empty());
  CHECK_FALSE(held_back(name(2), {name(0), name(1)}, three, {4, {}}).empty());
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
  CHECK(held_back(name(4), {name(0)}, nobody, rollout).empty());
  CHECK(
      held_back(name(1), {name(0)}, nobody, rollout) ==
      "rollout.max_unavailable is 1 in rack 'r1' and n00000 is not reachable already");
  const WavePlan beside = assign_waves({{name(3), name(4)}, {name(0)}, {}, {}}, nobody, rollout);
  CHECK(nodes_of(beside) == Groups{{name(3)}, {name(4)}});
}

TEST_CASE("who is down counts, and cuts the ring already", "[plans]") {
  const AntiAffinity neighbours{{ring_of(4)}};
  CHECK(
      held_back(name(2), {name(0)}, neighbours, {1, {}}) ==
      "rollout.max_unavailable is 1 and n00000 is not reachable already");
  CHECK(
      held_back(name(1), {name(0)}, neighbours, {2, {}}) ==
      "its neighbour n00000 in ring storage is not reachable, and the ring must not be cut "
      "further");
  CHECK(held_back(name(2), {name(0)}, neighbours, {2, {}}).empty());
  const WavePlan plan = assign_waves({{name(2)}, {name(0)}, {}, {}}, neighbours, {2, {}});
  CHECK(
      plan.waves.at(0).why ==
      "at most 2 nodes down at a time (rollout.max_unavailable), 1 not reachable already");
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
      if (random.chance(10)) inputs.down.insert(name(i));
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (inputs.down.contains(name(i)) || !random.chance(80)) continue;
      if (held_back(name(i), inputs.down, neighbours, rollout).empty())
        inputs.disturbed.insert(name(i));
    }
    const WavePlan plan = assign_waves(inputs, neighbours, rollout);
    std::size_t placed = 0;
    for (const Wave& wave : plan.waves) {
      INFO("seed " << seed << " wave " << wave.number);
      placed += wave.nodes.size();
      CHECK_FALSE(wave.nodes.empty());
      CHECK(wave.nodes.size() + inputs.down.size() <= rollout.max_unavailable);
      for (const NodeName& node : wave.nodes) {
        for (const auto& neighbour : neighbours.of(node)) {
          CHECK_FALSE(inputs.down.contains(neighbour.node));
          CHECK(std::count(wave.nodes.begin(), wave.nodes.end(), neighbour.node) == 0);
        }
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
