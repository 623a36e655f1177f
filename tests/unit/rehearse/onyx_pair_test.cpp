// SPDX-License-Identifier: Apache-2.0
// A pair of Onyx switches with hosts in LACP bonds over both: one plan, whole or cut off anywhere,
// and what each end of a bond sees of the other.
#include "engine/base/text.hpp"

#include "tests/support/from_environment.hpp"
#include "tests/unit/rehearse/ring_plan.hpp"

namespace fabric::rehearse {
namespace {

const NodeName kOne = *NodeName::parse("leaf1");
const NodeName kTwo = *NodeName::parse("leaf2");

std::string document(int hosts) {
  const auto leaf = [](int number) {
    return fmt::format(
        "  leaf{}: {{platform: mlnx-os, mlag: {{domain: rack7, peer: leaf{}, ipl: [\"1/31\", "
        "\"1/32\"], vip: 192.0.2.82/24}}}}\n",
        number,
        3 - number);
  };
  return fmt::format(
      "apiVersion: fabric/v1\nname: pair\nnodes:\n"
      "  \"s[1-{0}]\": {{network_backend: networkd, adapters: {{cx5: {{model: connectx-5-en}}}}}}\n"
      "{1}{2}"
      "networks:\n  storage:\n    mode: lag\n    mtu: 9000\n    ipv4: {{subnet: 10.30.0.0/24}}\n"
      "    lag: {{bond: bond0, policy: 802.3ad, port_channel: lacp}}\n"
      "    cables: [[\"s[1-{0}]/1\", \"leaf1/1/[1-{0}]\"], [\"s[1-{0}]/2\", "
      "\"leaf2/1/[1-{0}]\"]]\n",
      hosts,
      leaf(1),
      leaf(2));
}

Scene scene_of(const DocumentPlan& of) {
  Scene scene = of.scene();
  scene.allow_no_rollback = {kOne, kTwo};
  return scene;
}

// The rows of the channels over the pair, as the switch shows them.
std::vector<std::string> rows(World& world, const NodeName& leaf) {
  std::vector<std::string> found;
  for (const NodeFacts& facts : world.discover()) {
    const std::string* text = facts.node == leaf ? facts.output("onyx-mlag-channels") : nullptr;
    if (text == nullptr) continue;
    for (const std::string_view line : split_lines(*text)) {
      if (line.find("Mpo") == std::string_view::npos) continue;
      std::vector<std::string> words;
      for (const std::string_view word : split_words(line))
        words.emplace_back(word);
      found.push_back(join(words, " "));
    }
  }
  return found;
}

TEST_CASE("four hosts in LACP bonds and their pair of Onyx switches are one plan", "[onyx]") {
  const DocumentPlan made{document(4)};
  World world{scene_of(made), 1};
  const Round round = world.round({});
  INFO(round.failure);
  CHECK((!round.errors && round.complete && !round.empty));
  CHECK(round.exit == ExitCode::done);
  CHECK(world.round({}).empty);
  CHECK(world.violations().empty());
  for (const NodeName& leaf : {kOne, kTwo}) {
    CHECK(
        rows(world, leaf) == std::vector<std::string>{
                                 "1 Mpo1(U) LACP Eth1/1(P) N/A",
                                 "2 Mpo2(U) LACP Eth1/2(P) N/A",
                                 "3 Mpo3(U) LACP Eth1/3(P) N/A",
                                 "4 Mpo4(U) LACP Eth1/4(P) N/A"});
  }
}

// FABRIC_KILL_STRIDE=1 kills it at every line of its journal.
TEST_CASE(
    "an apply to a pair of switches and a host that dies anywhere is gone on with", "[onyx]") {
  const DocumentPlan made{document(1)};
  const auto stride =
      static_cast<std::uint32_t>(fabric::test::number_from_environment("FABRIC_KILL_STRIDE", 11));
  std::uint32_t kills = 0;
  for (std::uint32_t line = 1;; line += stride) {
    World world{scene_of(made), 1};
    RunFaults faults;
    faults.killed_at = line;
    const Round first = world.round(faults);
    if (!first.killed) break;
    ++kills;
    INFO("killed at line " << line << " of its journal");
    const Round next = world.round({});
    INFO(next.failure);
    CHECK(next.exit == ExitCode::done);
    CHECK(world.round({}).empty);
    for (const std::string& violation : world.violations()) {
      INFO(violation);
      CHECK(violation.empty());
    }
  }
  CHECK(kills * stride > 10);
}

}  // namespace
}  // namespace fabric::rehearse
