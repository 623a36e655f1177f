// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/plan_record.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/secrets/redaction.hpp"
#include "engine/base/text.hpp"

namespace fabric::platform {

namespace {

constexpr const char* kFile = "/var/lib/fabric/applied";
constexpr std::string_view kHeader =
    "# fabric: plans of which every action was done here, the newest last.\n";
constexpr Duration kTimeout{10'000};
// Signatures of older ones are over, and their preconditions hold no more.
constexpr std::size_t kMostPlans = 256;

}  // namespace

remote::Step LinuxPlanRecord::read() const {
  return remote::step::Run{
      .command =
          {{"sh", "-c", R"sh([ ! -e "$1" ] || cat "$1")sh", "fabric-applied", kFile}, {}, kTimeout},
      .reads_only = true};
}

Result<std::vector<AppliedPlan>> LinuxPlanRecord::plans(const remote::StepResult& result) const {
  const auto unreadable = [](const std::string& why) {
    return Error{ErrorCode::invalid, fmt::format("the record {} can't be read: {}", kFile, why)};
  };
  if (result.output.exit_status != 0)
    return unreadable(fmt::format(
        "exit {}: {}",
        result.output.exit_status,
        trim(without_secrets(result.output.standard_error))));
  std::vector<AppliedPlan> plans;
  for (const std::string_view line : split_lines(result.output.standard_output)) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() != 2 || !words[0].starts_with("sha256:"))
      return unreadable("it has a line that fabric did not write");
    plans.push_back({std::string{words[0]}, std::string{words[1]}});
  }
  return plans;
}

remote::Step LinuxPlanRecord::write(const std::vector<AppliedPlan>& plans) const {
  std::string text{kHeader};
  for (std::size_t i = plans.size() - std::min(plans.size(), kMostPlans); i < plans.size(); ++i)
    text += fmt::format("{} {}\n", plans[i].digest, plans[i].run);
  return remote::step::WriteFile{kFile, std::move(text)};
}

}  // namespace fabric::platform
