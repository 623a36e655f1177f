// SPDX-License-Identifier: Apache-2.0
// The faults that hosts meet while a plan is applied, drawn from a seed.
#pragma once

#include <cstdint>

#include "engine/base/clock.hpp"
#include "engine/base/random.hpp"
#include "engine/lab/lab_spec.hpp"
#include "engine/rehearse/platform/simulated_platform.hpp"

namespace fabric::rehearse {

struct HostFaults {
  Duration boot_time{120'000};
  lab::LabClocks clocks{};
  lab::Fault fault = lab::Fault::none;
  std::uint32_t fault_after = 0;  // commands that still go well before it
};

// A pause of the machine that fabric runs on, between taking a lease and sending a step: a laptop
// that sleeps, a process that is stopped, a virtual machine that is moved.
struct Stall {
  // The number of the changing step before which it pauses, from 1; 0 = never.
  std::uint32_t at = 0;
  Duration lasts{0};
  bool clock_stands_still = false;  // the machine can't notice the pause by its clock
  // Another operator applies on another machine during the pause.
  bool second_run = false;
  Duration second_after{0};
  bool other_document = false;
  std::uint32_t second_killed_at = 0;  // as RunFaults::killed_at
};

struct RunFaults {
  std::uint32_t fault_percent = 0;    // of all commands
  std::uint32_t interrupt_after = 0;  // events until a person presses Ctrl-C; 0 = never
  // After how many begun actions another operator writes a file that the last of these will write;
  // 0 = never.
  std::uint32_t meddle_after = 0;
  std::uint32_t failing_hook = 0;  // of all that are run, the one that fails; 0 = none
  // The number of the before_disruption hook that answers "not yet" (exit 75); 0 = none does. Never
  // 1, because then nothing would ever be ready.
  std::uint32_t busy_hook = 0;
  // After how many begun actions the node of the last one gets another host key; 0 = never.
  std::uint32_t stranger_after = 0;
  // The line of its journal at which the machine that fabric runs on dies; 0 = never.
  std::uint32_t killed_at = 0;
  Stall stall{};
  FileEdit edit{};
};

// One host in eight gets a fault of its own; every boot takes 20 s to 220 s.
HostFaults draw_host_faults(Random& random);
// One host in twenty, of those without another fault, is cut off by the first change of its
// network, and one more gets the commands of that time late. Drawn from numbers of their own, so
// that known seeds keep their stories.
class CutOffDraws {
 public:
  explicit CutOffDraws(std::uint64_t seed);
  void draw(HostFaults& faults);

 private:
  Random cuts_, late_;
};
// Clocks of one host in three drift, are set or stand still. Drawn by themselves, too.
class ClockDraws {
 public:
  explicit ClockDraws(std::uint64_t seed);
  void draw(HostFaults& faults);

 private:
  Random random_;
};
// In one run of six; most of these have another operator at work.
Stall draw_stall(Random& random);
FileEdit draw_edit(Random& random);
RunFaults draw_run_faults(Random& random);

}  // namespace fabric::rehearse
