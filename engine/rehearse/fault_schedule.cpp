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

RunFaults draw_run_faults(Random& random) {
  RunFaults faults;
  if (random.chance(40)) faults.fault_percent = static_cast<std::uint32_t>(1 + random.below(4));
  if (random.chance(15)) faults.interrupt_after = static_cast<std::uint32_t>(1 + random.below(60));
  return faults;
}

}  // namespace fabric::rehearse
