#include "engine/rehearse/bad_luck.hpp"

#include <array>

namespace fabric::rehearse {

HostLuck draw_host_luck(Random& random) {
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
  HostLuck luck;
  luck.boot_time = Duration{static_cast<std::int64_t>(kShortestBoot + random.below(kBootsDiffer))};
  if (random.chance(12)) {
    luck.fault = kFaults[random.below(kFaults.size())];
    luck.fault_after = static_cast<std::uint32_t>(random.below(kCommandsBefore));
  }
  return luck;
}

Random cut_off_draws(std::uint64_t seed) {
  constexpr std::uint64_t kCuts = 0x6375'7473'0000'0000;
  return Random{seed ^ kCuts};
}

void draw_cut_off(HostLuck& luck, Random& draws) {
  constexpr std::uint64_t kCommandsBefore = 20;
  const bool strikes = draws.chance(5);
  const std::uint64_t after = draws.below(kCommandsBefore);
  if (!strikes || luck.fault != lab::Fault::none) return;
  luck.fault = lab::Fault::cut_off;
  luck.fault_after = static_cast<std::uint32_t>(after);
}

RunLuck draw_run_luck(Random& random) {
  RunLuck luck;
  if (random.chance(40)) luck.fault_percent = static_cast<std::uint32_t>(1 + random.below(4));
  if (random.chance(15)) luck.interrupt_after = static_cast<std::uint32_t>(1 + random.below(60));
  return luck;
}

}  // namespace fabric::rehearse
