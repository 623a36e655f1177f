// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/subnet_masters.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

std::map<std::string, Guid> heard(const std::string& text) {
  NodeFacts facts{*NodeName::parse("n1"), {}, {}, {}, {}};
  facts.probes.emplace(kSubnetManagerProbe, ProbeOutput{"", 0, text, ""});
  return masters_heard(facts);
}

constexpr const char* kTold =
    "sminfo: sm lid 1 sm guid 0x900a84030040e2a0, activity count 295 priority 10 state 3 "
    "SMINFO_MASTER\n";

TEST_CASE("the master of a port is whoever answers it as one", "[provider]") {
  const std::string told = kTold;
  const auto masters = heard(
      "tool sminfo\nport mlx5_0 1 ACTIVE\nmaster mlx5_0 1 " + told + "own mlx5_0 1 " + told +
      "master mlx5_1 2 sminfo: sm lid 7 sm guid 0xb2, activity count 1 priority 0 state 3 "
      "SMINFO_MASTER\n");
  REQUIRE(masters.size() == 2);
  CHECK(masters.at("mlx5_0/1") == Guid{0x900a84030040e2a0});
  CHECK(masters.at("mlx5_1/2") == Guid{0xb2});
}

TEST_CASE("nobody is master who does not say so", "[provider]") {
  const std::string told = kTold;
  std::string standby = told;
  standby.replace(standby.find("3 SMINFO_MASTER"), 15, "2 SMINFO_STANDBY");
  for (const std::string& text :
       {"own mlx5_0 1 " + told,
        "master mlx5_0 1 " + standby,
        std::string{"master mlx5_0 1 sminfo: iberror: failed: query\n"},
        std::string{"master mlx5_0 1 SMINFO_MASTER\nmaster\nmaster mlx5_0\n"},
        std::string{"master mlx5_0 1 sminfo: sm lid 1 sm guid here, SMINFO_MASTER\n"},
        std::string{"master mlx5_0 1 a b c d e guid 0x1, SMINFO_MASTER\n"},
        std::string{}}) {
    INFO(text);
    CHECK(heard(text).empty());
  }
  CHECK(masters_heard(NodeFacts{*NodeName::parse("n1"), {}, {}, {}, {}}).empty());
}

}  // namespace
}  // namespace fabric
