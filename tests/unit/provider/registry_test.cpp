// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/registry.hpp"

#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

Provider named(std::string_view kind, const std::vector<Probe>& probes) {
  return {
      .kind = kind,
      .probes = [probes] { return probes; },
      .observe = [](std::span<const Resource>,
                    const NodeFacts&,
                    Diagnostics&) { return std::vector<Observation>{}; },
      .disruption = always(Disruption::none),
      .work = [](const Change&, const WorkContext&) -> Result<Work> {
        return Work{};
      }};
}

TEST_CASE("providers are found by kind and listed in order, each shared probe once", "[platform]") {
  Registry registry;
  registry.add(platform::linux_platform());
  registry.add(Platform::linux, named("sysctl", {{"sysctl", "s"}}));
  registry.add(Platform::linux, named("adapter", {{"pci", "p"}}));
  registry.add(Platform::linux, named("interface", {{"pci", "p"}, {"ip-addr", "i"}}));

  REQUIRE(registry.all(Platform::linux).size() == 3);
  CHECK(registry.all(Platform::linux).at(0)->kind == "adapter");
  CHECK(registry.all(Platform::linux).at(2)->kind == "sysctl");
  REQUIRE(registry.find(Platform::linux, "interface") != nullptr);
  CHECK(registry.find(Platform::linux, "opensm") == nullptr);

  const auto ids = [](const std::vector<Probe>& probes) {
    std::string text;
    for (const Probe& probe : probes)
      text += probe.id + " ";
    return text;
  };
  CHECK(ids(registry.probes(Platform::linux)) == "ip-addr pci sysctl ");
  CHECK(
      ids(registry.probes(Platform::linux, {"interface", "adapter", "opensm"})) == "ip-addr pci ");
  CHECK(ids(registry.probes(Platform::linux, {})).empty());
}

TEST_CASE("a change interrupts as much as its worst attribute", "[platform]") {
  Change change{
      Resource{{*NodeName::parse("a"), "interface", "x"}, {}, {}, {}, {}}, ChangeKind::update, {}};
  CHECK(change.disruption() == Disruption::none);
  for (const Disruption disruption : {Disruption::runtime, Disruption::reboot, Disruption::link}) {
    AttributeChange attribute;
    attribute.disruption = disruption;
    change.attributes.push_back(attribute);
  }
  CHECK(change.disruption() == Disruption::reboot);
  CHECK(to_string(Disruption::power_cycle) == "power-cycle");
}

TEST_CASE("an unknown reading equals nothing, an absent one is known to be nothing", "[platform]") {
  CHECK(Reading::of(9000).equals(9000));
  CHECK_FALSE(Reading::of(9000).equals(1500));
  CHECK_FALSE(Reading::unknown("hidden").equals(Value{}));
  CHECK_FALSE(Reading::absent().equals(Value{}));
  CHECK(Reading::of(List{"10.0.0.1/24"}).text() == "[10.0.0.1/24]");
  CHECK(Reading::absent().text() == "absent");
  CHECK(Reading::unknown("no Current column").text() == "unknown (no Current column)");
  const LayeredReading reading{Reading::of(1), Reading::of(2), std::nullopt};
  CHECK(reading.layer(Layer::next_boot) == Reading::of(2));
  CHECK_FALSE(reading.layer(Layer::persistent).has_value());
}

}  // namespace
}  // namespace fabric
