// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/lab_spec.hpp"

#include <array>

#include <fmt/format.h>

namespace fabric::lab {
namespace {

constexpr std::array<std::pair<Fault, std::string_view>, 15> kFaults = {{
    {Fault::none, "none"},
    {Fault::lost_reply, "lost-reply"},
    {Fault::lost_command, "lost-command"},
    {Fault::stall, "stall"},
    {Fault::refused, "refused"},
    {Fault::slow_boot, "slow-boot"},
    {Fault::no_boot, "no-boot"},
    {Fault::disk_full, "disk-full"},
    {Fault::lying_exit, "lying-exit"},
    {Fault::power_loss, "power-loss"},
    {Fault::cut_off, "cut-off"},
    {Fault::late, "late"},
    {Fault::torn_input, "torn-input"},
    {Fault::boots_twice, "boots-twice"},
    {Fault::clock_jump, "clock-jump"},
}};

}  // namespace

std::string_view to_string(Fault fault) {
  for (const auto& [value, text] : kFaults) {
    if (value == fault) return text;
  }
  return "none";
}

Result<Fault> parse_fault(std::string_view text) {
  std::string known;
  for (const auto& [value, name] : kFaults) {
    if (name == text) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  }
  return Error{ErrorCode::invalid, fmt::format("unknown fault '{}'; one of {}", text, known)};
}

}  // namespace fabric::lab
