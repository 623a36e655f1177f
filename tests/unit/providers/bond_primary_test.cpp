// SPDX-License-Identifier: Apache-2.0
// The primary slave of a bond, however the document names it.
#include <string>

#include "tests/unit/providers/bond_fixture.hpp"

namespace fabric::providers::test::bonding {
namespace {

TEST_CASE("the primary slave is whom the document means, however it says so", "[providers]") {
  for (const char* written : {"cx5.2", "cx5/2", "2", "enp1s0f1np1"}) {
    INFO(written);
    const Resource wanted = bond({{"mode", "active-backup"}, {"primary", written}});
    Node node;
    node.links +=
        bond0("active-backup 1", kBothSlaves) + link("bond0", {"bonding/primary:enp1s0f1np1"});
    const Work work = work_of(kBonds, wanted, node.facts(), true);
    for (const auto& file : work.actions.at(0).steps.writes())
      node.files += as_files(file.path, file.content);
    CHECK(
        layers(observe_one(kBonds, wanted, node.facts()), "primary") ==
        std::string{written} + " | - | " + written);
  }
}

TEST_CASE("networkd knows the primary slave also while that has no interface yet", "[providers]") {
  // Its port 1 is InfiniBand.
  for (const char* written : {"cx5.1", "cx5/1"}) {
    CAPTURE(written);
    const Resource wanted = bond({{"mode", "active-backup"}, {"primary", written}});
    NodeFacts facts = Node{}.facts();
    facts.probes["pci"].standard_output = fixture("pci-cx5.txt");
    const Work work = work_of(kBonds, wanted, facts, true);
    std::string files;
    for (const auto& file : work.actions.at(0).steps.writes())
      files += as_files(file.path, file.content);
    CHECK(files.find("10-fabric-cx5.1.network.d/primary-of-bond0.conf") != std::string::npos);
    facts.probes["network-files"].standard_output = files;
    CHECK(
        layers(observe_one(kBonds, wanted, facts), "primary") ==
        std::string{"absent | - | "} + written);
  }
}

}  // namespace
}  // namespace fabric::providers::test::bonding
