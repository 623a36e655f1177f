// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "engine/report/plan/plan_formats.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/report/sample_plan.hpp"

namespace fabric::report::test {
namespace {

std::string markdown(const plans::Plan& plan, std::size_t most = kCommentBytes) {
  return plan_markdown(&plan, {}, {}, std::nullopt, most);
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++number;
  return number;
}

TEST_CASE("a comment begins with the verdict, and folds the rest away", "[report]") {
  const std::string text = markdown(two_nodes());
  CHECK(text.starts_with(
      "### fabric: pve-ring\n\nPlan: 0 to add, 6 to change, 0 to remove; 2 reboots in 2 waves.\n"));
  CHECK(text.find("<details><summary>Order, impact and rollback</summary>") != std::string::npos);
  CHECK(text.find("<details><summary>pve[1-2]") != std::string::npos);
  CHECK(times(text, "<details>") == times(text, "</details>"));
  CHECK(times(text, "```") % 2 == 0);
}

TEST_CASE("an empty plan is one line", "[report]") {
  plans::Plan plan;
  plan.fabric = "quiet";
  CHECK(
      markdown(plan) ==
      "### fabric: quiet\n\nNo changes: the fabric is what the document says.\n\n");
}

TEST_CASE("what a document or a node says commands no renderer", "[report]") {
  plans::Plan plan = two_nodes();
  plan.changes[0].attribute.desired = List{"``` <!-- </details> @everybody"};
  SourceMap sources;
  Diagnostics findings;
  findings.error("bad-value", {}, "<img src=x> [link](http://x) @everybody #1 `code` **loud**");
  const std::string text = plan_markdown(nullptr, findings, sources, std::nullopt, kCommentBytes);
  CHECK(text.find("<img") == std::string::npos);
  CHECK(text.find("@everybody") == std::string::npos);
  CHECK(text.find("](http") == std::string::npos);
  CHECK(text.find("\\*\\*loud\\*\\*") != std::string::npos);
  CHECK(text.find("\\#1") != std::string::npos);
  // A fence within is shorter than the fence around it.
  const std::string folded = markdown(plan);
  CHECK(folded.find("````text\n") != std::string::npos);
}

TEST_CASE("a comment keeps its limit, and says what it left out", "[report]") {
  plans::Plan plan;
  plan.fabric = "large";
  for (int node = 1; node <= 400; ++node) {
    // No two are alike, so that nothing folds.
    add_node(plan, "n" + std::to_string(node), 1, "10.30.0.1/24");
    plan.changes.back().attribute.desired = node;
    for (int more = 0; more < node % 40; ++more)
      plan.changes.push_back(plan.changes.back());
  }
  for (const std::size_t most : {kCommentBytes, kSmallCommentBytes, std::size_t{4'096}}) {
    const std::string text = markdown(plan, most);
    CHECK(text.size() <= most);
    CHECK(text.find("left out") != std::string::npos);
    CHECK(text.find("### fabric: large") == 0);
    CHECK(times(text, "<details>") == times(text, "</details>"));
  }
  CHECK(markdown(plan, 10'000'000).find("left out") == std::string::npos);
}

}  // namespace
}  // namespace fabric::report::test
