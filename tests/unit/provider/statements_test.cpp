// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/statements.hpp"

#include "engine/model/resource_keys.hpp"
#include "engine/model/statement_pattern.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

Statement statement(StatementClass said) {
  return {
      "interfaces",
      "post-up",
      "ip rule add from 10.9.0.1",
      "/etc/network/interfaces",
      14,
      said,
      said == StatementClass::sayable ? "mtu: 9000" : ""};
}

Resource taken_over(Value adopt) {
  Resource resource{*ResourceAddress::parse("n1/bond/bond0"), {}, {}, {}, {}};
  if (!adopt.is_null()) resource.binding.emplace(keys::kAdopt, std::move(adopt));
  return resource;
}

TEST_CASE("a pattern has a kind, a key and perhaps a value, each with stars", "[provider]") {
  const auto fits = [](const char* pattern, const char* kind, const char* key, const char* value) {
    const Result<StatementPattern> parsed = StatementPattern::parse(pattern);
    return parsed && parsed->fits(kind, key, value);
  };
  CHECK(fits("interfaces post-up", "interfaces", "post-up", "anything"));
  CHECK_FALSE(fits("interfaces post-up", "ifcfg", "post-up", "anything"));
  CHECK_FALSE(fits("interfaces up", "interfaces", "post-up", ""));
  CHECK(fits("networkd Route.*", "networkd", "Route.Gateway", "10.9.0.1"));
  CHECK_FALSE(fits("networkd Route.*=10.8.*", "networkd", "Route.Gateway", "10.9.0.1"));
  CHECK(fits("networkd Route.*=10.9.*", "networkd", "Route.Gateway", "10.9.0.1"));
  CHECK(
      fits("interfaces post-up=ip rule * lookup 5", "interfaces", "post-up", "ip rule a lookup 5"));
  CHECK(fits("interfaces post-up=a=b", "interfaces", "post-up", "a=b"));
  CHECK(fits("keyfile ipv4.dns=", "keyfile", "ipv4.dns", ""));
  CHECK_FALSE(fits("keyfile ipv4.dns=", "keyfile", "ipv4.dns", "1.1.1.1"));
  CHECK(fits(kEveryStatement, "modprobe", "options", "x"));
  for (const char* wrong :
       {"",
        " ",
        "post-up",
        "interfaces",
        "interfaces ",
        "interfaces =x",
        "interfaces a b",
        "file x"})
    CHECK_FALSE(StatementPattern::parse(wrong));
}

TEST_CASE("what the document says is no loss, and the rest may be let go by name", "[provider]") {
  const std::vector<std::string> by_name{"interfaces post-up"};
  CHECK_FALSE(may_be_dropped(statement(StatementClass::said), by_name));
  CHECK_FALSE(may_be_dropped(statement(StatementClass::said_otherwise), by_name));
  CHECK(may_be_dropped(statement(StatementClass::sayable), by_name));
  CHECK(may_be_dropped(statement(StatementClass::not_sayable), by_name));
  CHECK_FALSE(may_be_dropped(statement(StatementClass::not_sayable), {}));
  const std::vector<Statement> all{
      statement(StatementClass::said),
      statement(StatementClass::said_otherwise),
      statement(StatementClass::sayable),
      statement(StatementClass::not_sayable)};
  CHECK(would_be_lost(taken_over(true), all).size() == 2);
  CHECK(would_be_lost(taken_over(List{"interfaces up"}), all).size() == 2);
  CHECK(would_be_lost(taken_over(List{"interfaces post-up"}), all).empty());
  CHECK(would_be_lost(taken_over(List{kEveryStatement}), all).empty());
  CHECK_FALSE(adopts(taken_over({})));
  CHECK(adopts(taken_over(List{kEveryStatement})));
}

TEST_CASE("what would be lost is one finding, with file, line and what to write", "[provider]") {
  Diagnostics diagnostics;
  report_would_lose(diagnostics, taken_over(true), "bond0", {});
  CHECK(diagnostics.empty());
  Statement running = statement(StatementClass::not_sayable);
  running.kind = "running";
  running.key = "address";
  running.value = "10.9.0.1/24";
  running.file.clear();
  report_would_lose(
      diagnostics,
      taken_over(true),
      "bond0",
      {statement(StatementClass::sayable), statement(StatementClass::not_sayable), running});
  REQUIRE(diagnostics.items().size() == 1);
  const Diagnostic& finding = diagnostics.items().front();
  CHECK(finding.rule == kAdoptWouldLose);
  CHECK(finding.severity == Severity::error);
  CHECK(
      finding.message ==
      "n1: taking over bond0 would lose 3 statements that the document does not have");
  REQUIRE(finding.related.size() == 3);
  CHECK(
      finding.related[0].message ==
      "/etc/network/interfaces:14 `post-up ip rule add from 10.9.0.1`: to keep it, write into the "
      "document: `mtu: 9000`");
  CHECK(
      finding.related[1].message ==
      "/etc/network/interfaces:14 `post-up ip rule add from 10.9.0.1`: the document has no key for "
      "it; to drop it: `interfaces post-up`");
  CHECK(
      finding.related[2].message ==
      "running `address 10.9.0.1/24`: the document has no key for it; to drop it: `running "
      "address`");
  CHECK(
      finding.help ==
      "write the statements to keep into the document, and drop the rest: `adopt: {drop: "
      "[\"interfaces post-up\", \"running address\"]}`");
}

}  // namespace
}  // namespace fabric
