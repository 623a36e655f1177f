// SPDX-License-Identifier: Apache-2.0
// RollbackTimer: rolls back an action on the node itself, without a session, unless it is confirmed
// in time.
#pragma once

#include <string>
#include <vector>

#include "engine/base/abstract.hpp"
#include "engine/remote/runner.hpp"
#include "engine/remote/work_steps.hpp"

namespace fabric::platform {

struct GuardOrder {
  std::string token;   // 16 hex digits; unique for one action of one run
  std::string holder;  // "action a0007 of pve1", for a person who finds the timer on the node
  Duration timeout{120'000};
  // The clock runs from the next boot on; until then nothing is rolled back.
  bool across_reboot = false;
};

enum class GuardState : std::uint8_t {
  armed,
  firing,
  rolled_back,
  rollback_failed,
  disarmed,  // or never armed
  unknown    // no answer, or another text
};

// A timer that was found on a node.
struct FoundGuard {
  std::string token;
  std::string holder;
  bool firing = false;   // it is rolling back now
  bool foreign = false;  // no run of fabric has set it
};

class RollbackTimer : public Abstract {
 public:
  // One step, which may be repeated. Ends with an exit status other than 0, naming its holder,
  // while another timer is armed on the node.
  virtual remote::Step arm(const GuardOrder& order, const WorkSteps& undo) const = 0;
  // True if while_armed() can hold the step back, or nothing of it is sent to the node. An action
  // with any other step is refused while planning.
  virtual bool holds_back(const remote::Step& step) const = 0;
  // REQUIRES: holds_back(step). The step, which fails and does nothing else once the timer has
  // fired: a step sent to a node that was cut off may reach it when the rollback has opened the way
  // again. A rollback first stops parts of it that still run.
  virtual remote::Step while_armed(const std::string& token, remote::Step step) const = 0;
  // The steps disarm() to clear() use a new session, so that an answer proves that one can be made;
  // state() reads it.
  virtual remote::Step disarm(const std::string& token) const = 0;
  // Rolls back now. Returns before it is done: it may cut this very session.
  virtual remote::Step fire(const std::string& token) const = 0;
  virtual remote::Step ask(const std::string& token) const = 0;
  // Removes the files that a rollback leaves.
  virtual remote::Step clear(const std::string& token) const = 0;
  virtual GuardState state(const remote::StepResult& result) const = 0;

  // All timers of the node that are armed or fire.
  virtual remote::Step find() const = 0;
  virtual std::vector<FoundGuard> found(const remote::StepResult& result) const = 0;
};

}  // namespace fabric::platform
