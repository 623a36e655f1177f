// SPDX-License-Identifier: Apache-2.0
#include "engine/report/plan/plan_text.hpp"

#include "tests/support/catch.hpp"

namespace fabric::report {
namespace {

NodeName host(int number) {
  return NodeName::parse("pve" + std::to_string(number)).value();
}

plans::PathsLostInWave wave(std::uint32_t number, std::uint32_t lost) {
  plans::PathsLostInWave wave{number, "storage", {host(static_cast<int>(number))}};
  wave.working = 12;
  wave.lost = lost;
  wave.host_pairs = 3;
  if (lost == 11) wave.apart = {{host(5), host(6)}, {host(6), host(7)}};
  wave.example = "pve5/cx5/1 and pve6/cx5/2: the answer leaves by pve6/cx5/1, which has no carrier";
  return wave;
}

std::vector<std::string> lines_of(const plans::Plan& plan) {
  std::vector<std::string> lines;
  for (const Text& line : lost_paths_lines(plan))
    lines.push_back(line.str());
  return lines;
}

TEST_CASE("waves in a row that take as much from the others are one line", "[report]") {
  plans::Plan plan;
  CHECK(lost_paths_lines(plan).empty());
  plan.impact.paths_lost = {wave(1, 11), wave(2, 11), wave(3, 9)};
  plan.impact.asks_for_paths = true;
  CHECK(
      lines_of(plan) ==
      std::vector<std::string>{
          "each of waves 1-2, like wave 1 while pve1 is down: 11 of 12 pairs of addresses in "
          "network storage that work now are lost; 2 of 3 pairs of other hosts lose each other: "
          "pve5 and pve6, pve6 and pve7",
          "wave 3 while pve3 is down: 9 of 12 pairs of addresses in network storage that work now "
          "are lost; no other hosts lose each other",
          "for example pve5/cx5/1 and pve6/cx5/2: the answer leaves by pve6/cx5/1, which has no "
          "carrier",
          "`fabric graph --down NODE` names the pairs that are left meanwhile",
          "agreeing to the plan accepts these losses (rollout.paths_lost: ask)"});
}

TEST_CASE("what a plan can't tell of the paths of a large network is said", "[report]") {
  plans::Plan plan;
  for (std::uint32_t number : {1U, 2U}) {
    plans::PathsLostInWave unjudged{number, "storage", {host(static_cast<int>(number))}};
    unjudged.working = unjudged.unknown = 2'000'000;
    plan.impact.paths_lost.push_back(unjudged);
  }
  CHECK(
      lines_of(plan) ==
      std::vector<std::string>{
          "each of waves 1-2, like wave 1 while pve1 is down: network storage has 2000000 pairs of "
          "addresses, too many to compute which of them are lost",
          "`fabric graph --down NODE` names the pairs that are left meanwhile"});
}

}  // namespace
}  // namespace fabric::report
