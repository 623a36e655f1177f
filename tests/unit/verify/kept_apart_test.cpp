// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/paths/kept_apart.hpp"

#include "tests/support/catch.hpp"

namespace fabric::verify {
namespace {

Path path(const char* from, const char* to) {
  return {
      {*NodeName::parse(from), "cx", "1"},
      {*NodeName::parse(to), "cx", "1"},
      "net",
      "eth1",
      "10.0.0.9",
      0};
}

TEST_CASE("a lost ping proves that two sides are apart where the port reaches others", "[verify]") {
  FabricSpec spec;
  spec.isolated = {{{"a", {}}, {"b", {}}}};
  const Path tried = path("a1", "b1");
  const auto judged = [&](Passage passage, Passage other) {
    return judge_apart(
               spec,
               {{tried}},
               {{tried, passage, passage, {}}},
               {{path("a1", "a2"), other, other, {}}})
        .front();
  };
  CHECK(judged(Passage::lost, Passage::passed).state == Apart::proven);
  CHECK(judged(Passage::lost, Passage::lost).state == Apart::unproven);
  CHECK(judged(Passage::untested, Passage::passed).state == Apart::unproven);
  CHECK(judged(Passage::passed, Passage::lost).state == Apart::broken);
  CHECK(judge_apart(spec, {{}}, {}, {}).front().state == Apart::unproven);

  Findings findings;
  add_apart_findings(
      spec,
      {judged(Passage::lost, Passage::lost), judged(Passage::passed, Passage::passed)},
      findings);
  const std::vector<Diagnostic> found = std::move(findings).link().findings;
  REQUIRE(found.size() == 2);
  CHECK(found[0].rule == "isolation-unproven");
  CHECK(found[1].message == "a and b are not kept apart: a1/cx/1 reaches 10.0.0.9 at b1");
}

}  // namespace
}  // namespace fabric::verify
