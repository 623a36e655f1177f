// Bad faults: what goes wrong on the hosts while a plan is applied, drawn from a seed.
#pragma once

#include <cstdint>

#include "engine/base/clock.hpp"
#include "engine/base/random.hpp"
#include "engine/lab/lab_spec.hpp"

namespace fabric::rehearse {

struct HostFaults {
  Duration boot_time{120'000};
  lab::Fault fault = lab::Fault::none;
  std::uint32_t fault_after = 0;  // commands that still go well before it
};

struct RunFaults {
  std::uint32_t fault_percent = 0;    // of all commands
  std::uint32_t interrupt_after = 0;  // events until somebody presses Ctrl-C; 0 = nobody does
  // Actions that begin before somebody else writes a file that the last of them is about to write;
  // 0 = nobody does.
  std::uint32_t meddle_after = 0;
  std::uint32_t failing_hook = 0;  // of all that are run, the one that fails; 0 = none
  // Actions that begin before the node of the last of them has another host key; 0 = none gets one.
  std::uint32_t stranger_after = 0;
  // The line of its journal that the machine that fabric runs on does not survive; 0 = it does.
  std::uint32_t killed_at = 0;
};

// One host in eight meets a fault of its own; every boot takes 20 s to 220 s.
HostFaults draw_host_faults(Random& random);
// One host in twenty, of those that meet no other fault, is cut off by the first change of its
// network, and one more besides hears late of what is sent meanwhile. Drawn by themselves, so that
// the seeds that are known keep their stories.
class CutOffDraws {
 public:
  explicit CutOffDraws(std::uint64_t seed);
  void draw(HostFaults& faults);

 private:
  Random cuts_, late_;
};
RunFaults draw_run_faults(Random& random);

}  // namespace fabric::rehearse
