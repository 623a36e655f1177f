// SPDX-License-Identifier: Apache-2.0
// How much a person has to read: what is equal is shown once.
#include <algorithm>

#include "engine/cli/terminal/context.hpp"
#include "engine/report/diagnostics/text.hpp"
#include "engine/report/plan/plan_text.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/shown.hpp"
#include "tests/unit/workflow/lab_ring.hpp"

namespace fabric::cli {

namespace {

std::size_t lines_of(const report::Text& text) {
  return static_cast<std::size_t>(std::count(text.str().begin(), text.str().end(), '\n'));
}

}  // namespace

TEST_CASE("a document with 300 hosts of eight equal cards is judged in 40 lines", "[cli]") {
  SourceMap sources;
  const FileId file = sources.add(
      "fabric.yaml", fabric::test::file_text("tests/golden/validate/many-equal/fabric.yaml"));
  const LoadedDocument loaded = load_document(sources, {file});
  CHECK(loaded.diagnostics.items().size() > 300);
  const report::Text text = report::diagnostics_text(loaded.diagnostics, sources, {});
  INFO(text.str().substr(0, 4000));
  CHECK(lines_of(text) < 40);
  // The numbers that are left out are for programs and for --verbose.
  const report::Text all = report::diagnostics_text(loaded.diagnostics, sources, {false, 80, true});
  CHECK(lines_of(all) > 300);
}

TEST_CASE("the plan of a ring of four fits on a screen of 50 lines", "[cli]") {
  workflow::test::LabRing ring{4};
  const workflow::Planned planned = ring.plan();
  REQUIRE(planned.valid);
  REQUIRE_FALSE(planned.plan.actions.empty());
  const report::Text text = report::plan_text(planned.plan, {});
  INFO(text.str());
  CHECK(lines_of(text) <= 50);
}

}  // namespace fabric::cli
