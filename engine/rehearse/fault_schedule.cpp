// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/fault_schedule.hpp"

#include <array>
#include <utility>

namespace fabric::rehearse {

HostFaults draw_host_faults(Random& random) {
  using lab::Fault;
  constexpr std::array kFaults{
      Fault::lost_reply,
      Fault::lost_command,
      Fault::stall,
      Fault::refused,
      Fault::slow_boot,
      Fault::no_boot,
      Fault::disk_full,
      Fault::lying_exit,
      Fault::power_loss,
      Fault::torn_input,
      Fault::boots_twice,
      Fault::clock_jump};
  constexpr std::uint64_t kShortestBoot = 20'000;
  constexpr std::uint64_t kBootsDiffer = 200'000;
  constexpr std::uint64_t kCommandsBefore = 14;
  HostFaults faults;
  faults.boot_time =
      Duration{static_cast<std::int64_t>(kShortestBoot + random.below(kBootsDiffer))};
  if (random.chance(12)) {
    faults.fault = kFaults[random.below(kFaults.size())];
    faults.fault_after = static_cast<std::uint32_t>(random.below(kCommandsBefore));
  }
  return faults;
}

CutOffDraws::CutOffDraws(std::uint64_t seed)
    : cuts_{seed ^ 0x6375'7473'0000'0000}, late_{seed ^ 0x6c61'7465'0000'0000} {}

void CutOffDraws::draw(HostFaults& faults) {
  constexpr std::uint64_t kCommandsBefore = 20;
  for (const auto& [draws, fault] :
       {std::pair{&cuts_, lab::Fault::cut_off}, std::pair{&late_, lab::Fault::late}}) {
    const bool strikes = draws->chance(5);
    const std::uint64_t after = draws->below(kCommandsBefore);
    if (!strikes || faults.fault != lab::Fault::none) continue;
    faults.fault = fault;
    faults.fault_after = static_cast<std::uint32_t>(after);
  }
}

ClockDraws::ClockDraws(std::uint64_t seed) : random_{seed ^ 0x636c'6f63'6b73'0000} {}

void ClockDraws::draw(HostFaults& faults) {
  constexpr std::uint64_t kSlowest = 950, kRates = 100;
  constexpr std::uint64_t kWithin = 1'200'000;  // of the beginning
  constexpr std::uint64_t kLongestPause = 900'000;
  constexpr std::int64_t kDay = 86'400'000;
  const auto some_time = [this](std::uint64_t within) {
    return Duration{static_cast<std::int64_t>(random_.below(within))};
  };
  if (random_.chance(20)) faults.clocks.rate = static_cast<int>(kSlowest + random_.below(kRates));
  if (random_.chance(15)) {
    faults.clocks.set_at = some_time(kWithin);
    faults.clocks.set_by = Duration{random_.chance(50) ? kDay : -kDay};
  }
  if (random_.chance(4)) {
    faults.clocks.paused_at = some_time(kWithin);
    faults.clocks.paused_for = some_time(kLongestPause);
  }
}

Stall draw_stall(Random& random) {
  constexpr std::uint64_t kSteps = 60, kLines = 30;
  constexpr std::uint64_t kLongest = 3'600'000, kShorter = 600'000;
  Stall stall;
  if (!random.chance(16)) return stall;
  stall.at = static_cast<std::uint32_t>(1 + random.below(kSteps));
  const std::uint64_t longest = random.chance(50) ? kLongest : kShorter;
  stall.lasts = Duration{static_cast<std::int64_t>(random.below(longest))};
  stall.clock_stands_still = random.chance(50);
  stall.second_run = random.chance(80);
  stall.second_after = Duration{static_cast<std::int64_t>(random.below(longest))};
  stall.other_document = random.chance(40);
  if (random.chance(25))
    stall.second_killed_at = static_cast<std::uint32_t>(1 + random.below(kLines));
  return stall;
}

FileEdit draw_edit(Random& random) {
  using How = FileEdit::How;
  constexpr std::array kHow{How::edited, How::removed, How::linked, How::truncated};
  constexpr std::uint64_t kSteps = 40, kFiles = 1'000;
  FileEdit edit;
  edit.how = kHow[random.below(kHow.size())];
  edit.at = static_cast<std::uint32_t>(1 + random.below(kSteps));
  if (random.chance(20)) edit.at = 1;
  edit.aimed = edit.at > 1 && random.chance(60);
  edit.which = random.below(kFiles);
  return edit;
}

RunFaults draw_run_faults(Random& random) {
  RunFaults faults;
  if (random.chance(40)) faults.fault_percent = static_cast<std::uint32_t>(1 + random.below(4));
  if (random.chance(15)) faults.interrupt_after = static_cast<std::uint32_t>(1 + random.below(60));
  return faults;
}

}  // namespace fabric::rehearse
