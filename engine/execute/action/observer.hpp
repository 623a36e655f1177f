// SPDX-License-Identifier: Apache-2.0
// ExecutionObserver: the events of a run. Progress bar, NDJSON and journal are three observers of
// the same events.
#pragma once

#include <string>
#include <vector>

#include "plans/plan.hpp"

namespace fabric::execute {

enum class ActionState : std::uint8_t {
  done,               // read back, and it is right
  already_satisfied,  // was right before anything was sent
  failed,             // ran or could not run, and is not right
  unknown,            // may be done; the node could not be asked
  skipped,            // an action that it needs did not succeed
  not_started         // the run stopped before it
};
std::string_view to_string(ActionState state);

// The rollback of an action by the node's dead-man timer.
enum class Rollback : std::uint8_t { none, verified, failed };

struct ActionResult {
  std::string id;
  ActionState state = ActionState::not_started;
  std::string detail;  // failed: the expected and the found value; skipped: the node or action that
                       // is the reason
  std::string cause;   // skipped: the id of the action at the root
  ErrorCode code = ErrorCode::internal;  // for failed and unknown
  Rollback rollback = Rollback::none;
  std::string output;    // for a hook: all its output
  bool began = true;     // false: it failed before anything was done
  bool in_part = false;  // it failed, but the read-back shows some changes
  // A hook before a disruption said "not yet" (exit 75): nothing was changed, and it may be run
  // again.
  bool not_yet = false;
  bool booted = false;       // for a reboot: another boot of the node was seen
  bool power_cycle = false;  // a command said that its settings need a power cycle
  Duration took{0};
};

class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  virtual void run_started(const plans::Plan& /*plan*/, const std::string& /*run*/) {}
  virtual void wave_started(const plans::Wave& /*wave*/) {}
  // The journal has this on disk before the first step is sent.
  virtual void action_started(const plans::Action& /*action*/) {}
  // A phase of a long action: "rebooting", "waiting for the node to go down", "reading back".
  virtual void action_phase(const plans::Action& /*action*/, const std::string& /*phase*/) {}
  // The action said "not yet" and will start again; `waited`: since it said so first.
  virtual void action_put_off(
      const plans::Action& /*action*/, const std::string& /*said*/, Duration /*waited*/) {}
  virtual void action_ended(const plans::Action& /*action*/, const ActionResult& /*result*/) {}
  // Nothing ended for a while (every 5 s).
  virtual void heartbeat(const std::vector<std::string>& /*running_actions*/) {}
  virtual void run_ended(const std::vector<ActionResult>& /*results*/) {}
};

}  // namespace fabric::execute
