// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/parsers/nft_ruleset.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace fabric;
using namespace fabric::providers;

namespace {

struct Rule {
  std::string_view chain, expressions;
};

// One table: a base chain FORWARD with this policy, chains `user` and `more`, and rules.
std::string ruleset(
    std::string_view policy,
    std::initializer_list<Rule> rules,
    std::string_view family = "ip",
    std::string_view hook = "forward") {
  std::string text = fmt::format(
      R"({{"nftables": [{{"metainfo": {{"version": "1.0.6"}}}},
         {{"table": {{"family": "{0}", "name": "filter"}}}},
         {{"chain": {{"family": "{0}", "table": "filter", "name": "FORWARD", "type": "filter",
                      "hook": "{1}", "prio": 0, "policy": "{2}"}}}},
         {{"chain": {{"family": "{0}", "table": "filter", "name": "user"}}}},
         {{"chain": {{"family": "{0}", "table": "filter", "name": "more"}}}})",
      family,
      hook,
      policy);
  for (const Rule& each : rules)
    text += fmt::format(
        R"(, {{"rule": {{"family": "{}", "table": "filter", "chain": "{}", "expr": [{}]}}}})",
        family,
        each.chain,
        each.expressions);
  return text + "]}";
}

constexpr std::string_view kAccept = R"({"accept": null})";
constexpr std::string_view kDrop = R"({"drop": null})";
constexpr std::string_view kReturn = R"({"return": null})";
constexpr std::string_view kUser = R"({"jump": {"target": "user"}})";
constexpr std::string_view kGoUser = R"({"goto": {"target": "user"}})";

std::string when(std::string_view left, std::string_view op, std::string_view right) {
  return fmt::format(R"({{"match": {{"op": "{}", "left": {}, "right": {}}}}}, )", op, left, right);
}

constexpr std::string_view kIn = R"({"meta": {"key": "iifname"}})";
constexpr std::string_view kOut = R"({"meta": {"key": "oifname"}})";
constexpr std::string_view kState = R"({"ct": {"key": "state"}})";
constexpr std::string_view kSource = R"({"payload": {"protocol": "ip", "field": "saddr"}})";

bool drops(const std::string& text, std::string_view in = "ens1", std::string_view out = "ens2") {
  return drops_forwarded(parse_nft_ruleset(text), in, out) != nullptr;
}

}  // namespace

TEST_CASE("the policy of a chain counts for what no rule decides") {
  CHECK(drops(ruleset("drop", {})));
  CHECK_FALSE(drops(ruleset("accept", {})));
  CHECK(drops(ruleset("drop", {}, "inet")));
  // Packets of another kind, and those for the host itself.
  CHECK_FALSE(drops(ruleset("drop", {}, "ip6")));
  CHECK_FALSE(drops(ruleset("drop", {}, "ip", "input")));
  CHECK_FALSE(drops(""));
  CHECK_FALSE(drops("Operation not permitted"));
}

TEST_CASE("rules count by interfaces and the state of the connection") {
  const auto accepts = [](std::string matches) {
    matches += kAccept;
    return !drops(ruleset("drop", {{"FORWARD", matches}}));
  };
  CHECK(accepts(""));
  CHECK(accepts(when(kIn, "==", R"("ens1")")));
  CHECK_FALSE(accepts(when(kIn, "==", R"("ens2")")));
  CHECK_FALSE(accepts(when(kIn, "!=", R"("ens1")")));
  CHECK(accepts(when(kIn, "==", R"("ens*")") + when(kOut, "!=", R"("eth0")")));
  CHECK(accepts(when(kOut, "==", R"({"set": ["br*", "ens2"]})")));
  CHECK_FALSE(accepts(when(kOut, "==", R"({"set": ["br*", "ens20"]})")));
  CHECK_FALSE(accepts(when(kState, "in", R"(["established", "related"])")));
  CHECK(accepts(when(kState, "in", R"(["new", "related"])")));
  // What may fit is no proof that it drops.
  CHECK(accepts(when(kSource, "==", R"("10.0.0.1")")));
  CHECK(accepts(when(kIn, "==", R"("@ports")")));
  CHECK(accepts(R"({"xt": {"type": "match", "name": "conntrack"}}, )"));
}

TEST_CASE("a rule that may fit does not drop for certain, one that fits does") {
  for (const std::string_view verdict :
       {kDrop,
        std::string_view{R"({"reject": {"type": "icmpx", "expr": "admin-prohibited"}})"},
        std::string_view{R"({"xt": {"type": "target", "name": "REJECT"}})"}}) {
    const std::string alone{verdict};
    CHECK(drops(ruleset("accept", {{"FORWARD", alone}})));
    const std::string perhaps = when(kSource, "==", R"("10.0.0.1")") + alone;
    CHECK_FALSE(drops(ruleset("accept", {{"FORWARD", perhaps}})));
  }
  CHECK_FALSE(
      drops(ruleset("accept", {{"FORWARD", R"({"xt": {"type": "target", "name": "LOG"}})"}})));
  CHECK_FALSE(drops(ruleset("drop", {{"FORWARD", R"({"queue": {"num": 0}})"}})));
}

TEST_CASE("chains that are called come back, and those that are gone to do not") {
  CHECK(drops(ruleset("drop", {{"FORWARD", kUser}, {"user", kReturn}})));
  CHECK_FALSE(drops(ruleset("drop", {{"FORWARD", kUser}, {"user", kAccept}})));
  CHECK_FALSE(
      drops(ruleset("drop", {{"FORWARD", kUser}, {"FORWARD", kAccept}, {"user", kReturn}})));
  CHECK(drops(ruleset("drop", {{"FORWARD", kGoUser}, {"FORWARD", kAccept}})));
  CHECK(drops(ruleset("accept", {{"FORWARD", kUser}, {"user", kDrop}})));
  CHECK(drops(ruleset(
      "accept",
      {{"FORWARD", kUser}, {"user", R"({"jump": {"target": "more"}})"}, {"more", kDrop}})));
  // The kernel refuses a circle; a text that has one ends all the same.
  CHECK_FALSE(drops(ruleset("accept", {{"FORWARD", kUser}, {"user", kUser}})));
}
