// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/policy.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/folders.hpp"
#include "engine/files/write.hpp"
#include "engine/ssh/local_command.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

constexpr Duration kLongest{600'000};

}  // namespace

Result<void> ask_policy(
    const Context& context, const std::string& command, const plans::Plan& plan) {
  if (command.empty()) return {};
  const std::string path =
      fmt::format("{}/policy-{}.plan", kStateFolder, plan.digest.substr(7, 12));
  FABRIC_TRY(files::make_folder(kStateFolder, files::Readers::owner));
  if (Result<void> written = write_text_file(path, plans::to_plan_file(plan)); !written)
    return written;
  remote::step::RunHere here{remote::Command{{"sh", "-c", command, "fabric", path}, {}, kLongest}};
  here.environment = {{"FABRIC_PLAN", path}};
  ssh::StopSignal never;
  const ssh::Execution asked = ssh::run_here(here, context.clock(), never);
  FABRIC_TRY(files::remove_file(path));
  for (const std::string* said : {&asked.output.standard_output, &asked.output.standard_error}) {
    for (const std::string_view line : split_lines(*said))
      context.note(std::string{line});
  }
  if (asked.outcome != remote::Outcome::succeeded)
    return Error{ErrorCode::forbidden, "the policy could not be asked: " + asked.error.message};
  if (asked.output.exit_status == 0) return {};
  return Error{
      ErrorCode::forbidden,
      fmt::format(
          "the policy refused the plan (exit {}); nothing was changed: {}",
          asked.output.exit_status,
          command)};
}

}  // namespace fabric::cli
