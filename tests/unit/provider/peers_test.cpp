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
class Teller final : public Provider {
 public:
  Teller(std::string kind, std::map<NodeName, Guids> shown, std::map<NodeName, Guids> noted)
      : kind_{std::move(kind)}, shown_{std::move(shown)}, noted_{std::move(noted)} {}
  std::string_view kind() const override { return kind_; }
  std::vector<Probe> probes() const override { return {}; }
  std::vector<Observation> observe(
      std::span<const Resource> /*wanted*/,
      const NodeFacts& /*facts*/,
      Diagnostics& /*diagnostics*/) const override {
    return {};
  }
  Guids port_guids(const Resource& /*resource*/, const NodeFacts& facts) const override {
    const auto found = shown_.find(facts.node);
    return found == shown_.end() ? Guids{} : found->second;
  }
  Guids noted_guids(const Resource& /*resource*/, const NodeFacts& facts) const override {
    const auto found = noted_.find(facts.node);
    return found == noted_.end() ? Guids{} : found->second;
  }
  Disruption disruption(
      const NodeFacts& /*facts*/,
      const Resource& /*resource*/,
      std::string_view /*attribute*/) const override {
    return Disruption::none;
  }
  Result<Work> work(const Change& /*change*/, const WorkContext& /*context*/) const override {
    return Work{};
  }

 private:
  std::string kind_;
  std::map<NodeName, Guids> shown_, noted_;
};

NodeFacts facts_of(const char* name) {
  return NodeFacts{.node = node(name)};
}

// What the manager of m1 is told, where m1 and m2 can be read and have these notes.
Map known(
    const std::map<NodeName, Guids>& shown,
    const std::map<NodeName, Guids>& noted,
    const Map& declared = {}) {
  Registry registry;
  registry.add(platform::linux_platform());
  registry.add(Platform::linux, std::make_unique<Teller>("subnet_manager", shown, noted));
  std::vector<Resource> resources{
      Resource{address("m1/subnet_manager/ib.hca.1"), {}, {}, {}, {}},
      Resource{address("m2/subnet_manager/ib.hca.1"), {}, {}, {}, {}}};
  resources[0].binding.emplace(keys::kPeers, List{"m1/hca/1", "n3/hca/1", "n4/hca/1"});
  if (!declared.empty()) resources[0].binding.emplace(keys::kDeclaredGuids, declared);
  const Bindings bindings =
      port_guid_bindings(resources, {facts_of("m1"), facts_of("m2")}, registry);
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
