// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"

namespace fabric::platform {

namespace {

remote::StepResult said(const std::string& text, int status = 0) {
  remote::StepResult result;
  result.output = {status, text, ""};
  return result;
}

}  // namespace

TEST_CASE("a node's record of plans is read as it was written", "[platform]") {
  const LinuxPlanRecord record;
  const std::vector<AppliedPlan> plans{{"sha256:1", "run-1"}, {"sha256:2", "run-2"}};
  const remote::Step step = record.write(plans);
  const auto* file = std::get_if<remote::step::WriteFile>(&step);
  REQUIRE(file != nullptr);
  CHECK(file->content.starts_with("# fabric: "));
  CHECK(*record.plans(said(file->content)) == plans);
  CHECK(record.plans(said(""))->empty());
  // Only the newest are kept.
  std::vector<AppliedPlan> many;
  for (int i = 0; i < 1'000; ++i)
    many.push_back({"sha256:" + std::to_string(i), "run"});
  const remote::Step long_one = record.write(many);
  const auto kept = record.plans(said(std::get<remote::step::WriteFile>(long_one).content));
  REQUIRE(kept);
  CHECK(kept->size() == 256);
  CHECK(kept->back() == many.back());
}

TEST_CASE("a record that can't be understood is no record of nothing", "[platform]") {
  const LinuxPlanRecord record;
  for (const char* text : {"sha256:1\n", "nonsense\n", "sha256:1 run more\n", "md5:1 run\n"}) {
    CAPTURE(text);
    CHECK(record.plans(said(text)).error().code == ErrorCode::invalid);
  }
  CHECK(record.plans(said("", 1)).error().code == ErrorCode::invalid);
}

}  // namespace fabric::platform
