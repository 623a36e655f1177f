// SPDX-License-Identifier: Apache-2.0
#include "engine/model/findings.hpp"

#include "engine/base/limits.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

constexpr SourceRange kHere{FileId{1}, 0, 1};
constexpr SourceRange kThere{FileId{1}, 5, 6};

TEST_CASE("of one rule at one place many findings are kept and the rest is counted") {
  constexpr std::size_t kKept = 10'000;
  Findings findings;
  for (std::size_t i = 0; i < kKept + 7; ++i)
    findings.error("a", kHere, "number " + std::to_string(i));
  findings.error("a", kThere, "elsewhere");
  findings.error("b", kHere, "another rule").with_help("help");
  const Diagnostics all = findings.take();
  REQUIRE(all.items().size() == kKept + 2);
  CHECK(all.items()[0].message == "number 0");
  CHECK(all.items()[kKept - 1].message == "number 9999 (and 7 more like it here)");
  CHECK(all.items()[kKept + 1].help == "help");
  CHECK(findings.take().empty());
}

TEST_CASE("an exact repeat is one finding") {
  Findings findings;
  for (int i = 0; i < 10; ++i)
    findings.error("a", kHere, "the same").with_help("help");
  const Diagnostics all = findings.take();
  REQUIRE(all.items().size() == 1);
  CHECK(all.items()[0].message == "the same");
}

TEST_CASE("what follows from a finding knows its place, of several that of the first") {
  Findings findings;
  findings.blame("pve1", kHere);
  findings.blame("pve1", kThere);
  CHECK(findings.cause_of("pve1") == kHere);
  CHECK_FALSE(is_known(findings.cause_of("pve2")));
}

TEST_CASE("a document may not come to more values than the limit, all parts together") {
  Findings findings;
  CHECK(findings.may_expand(limits::kExpandedValues - 10, kHere));
  CHECK_FALSE(findings.may_expand(11, kThere));
  CHECK_FALSE(findings.may_expand(static_cast<std::size_t>(-1), kThere));
  CHECK(findings.may_expand(10, kHere));
  CHECK_FALSE(findings.may_expand(1, kHere));
  CHECK(findings.take().items().size() == 2);
}

}  // namespace
}  // namespace fabric
