#include "engine/model/findings.hpp"

#include "engine/base/limits.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

constexpr SourceRange kHere{FileId{1}, 0, 1};
constexpr SourceRange kThere{FileId{1}, 5, 6};

TEST_CASE("of one rule at one place the first few findings are kept and the rest is counted") {
  Findings findings;
  for (int i = 0; i < 10; ++i)
    findings.error("a", kHere, "number " + std::to_string(i));
  findings.error("a", kThere, "elsewhere");
  findings.error("b", kHere, "another rule").with_help("help");
  const Diagnostics all = findings.take();
  REQUIRE(all.items().size() == 5);
  CHECK(all.items()[0].message == "number 0");
  CHECK(all.items()[2].message == "number 2 (and 7 more like it here)");
  CHECK(all.items()[4].help == "help");
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
