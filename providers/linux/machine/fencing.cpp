// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/fencing.hpp"

#include <chrono>
#include <string_view>
#include <variant>

#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr int kRefused = 76;
// What it says then, on a line of its own.
constexpr std::string_view kRefusal = "lease lost: ";
// Of the steps that name none themselves (remote/perform): files, and the copy of an image.
constexpr std::chrono::seconds kFileTakes{60};
constexpr std::chrono::seconds kCopyTakes{600};

std::chrono::seconds longest(const remote::Step& step) {
  if (const auto* run = std::get_if<remote::step::Run>(&step)) {
    return std::chrono::ceil<std::chrono::seconds>(run->command.timeout);
  }
  return std::holds_alternative<remote::step::CopyFile>(step) ? kCopyTakes : kFileTakes;
}

}  // namespace

remote::Step LinuxFencing::while_leased(const std::string& run, remote::Step step) const {
  const remote::Argv words{
      "sh",
      "-c",
      sh::fence,
      "fabric-fence",
      run,
      std::to_string(longest(step).count()),
      sh::lock_lengthen};
  if (auto* command = std::get_if<remote::step::Run>(&step)) command->fence = words;
  if (auto* write = std::get_if<remote::step::WriteFile>(&step)) write->fence = words;
  if (auto* copy = std::get_if<remote::step::CopyFile>(&step)) copy->fence = words;
  if (auto* removal = std::get_if<remote::step::RemoveFile>(&step)) removal->fence = words;
  return step;
}

bool LinuxFencing::is_refusal(const remote::StepResult& result) const {
  if (result.outcome != remote::Outcome::succeeded || result.output.exit_status != kRefused)
    return false;
  const std::string& said = result.output.standard_error;
  return said.starts_with(kRefusal) || said.find("\n" + std::string{kRefusal}) != std::string::npos;
}

}  // namespace fabric::platform
