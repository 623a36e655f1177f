// The dead-man timer as it stands on a node (I11): /var/lib/fabric/guard/TOKEN with what
// is to be put back and a script that does it, and a systemd timer that starts the script unless
// the token's owner disarms it. Without systemd a sleeping process or a line of cron does the same.
#pragma once

#include <string>

#include "engine/provider/change.hpp"
#include "engine/remote/step.hpp"

namespace fabric::execute {

struct GuardOrder {
  std::string token;   // 16 hex digits; of one action of one run
  std::string holder;  // "action a0007 of pve1", for whoever finds it there
  Duration timeout{120'000};
  // The clock runs from the next boot on; until then nothing is rolled back.
  bool across_reboot = false;
};

// One command, which may be repeated. Fails (exit 75, naming its holder) while another timer is
// armed on the node.
remote::Step arming_step(const GuardOrder& order, const ActionDraft& undo);

// The same step, which does nothing but fail once the timer has fired: what was sent to a node that
// was cut off may reach it when the rollback has opened the way again. A rollback stops what still
// runs of it first.
remote::Step while_armed(const std::string& token, remote::Step step);

// All over a new session, so that an answer proves that one can be made. They print one word of
// GuardState.
remote::Step disarm_step(const std::string& token);
// Takes back now. Returns before it is done: it may cut this very session.
remote::Step fire_step(const std::string& token);
remote::Step ask_step(const std::string& token);
// Removes what is left after a rollback.
remote::Step clear_step(const std::string& token);

enum class GuardState : std::uint8_t {
  armed,
  firing,
  rolled_back,
  rollback_failed,
  disarmed,  // or never armed
  unknown    // no answer, or none that is one
};
GuardState guard_state(const remote::CommandOutput& output);

}  // namespace fabric::execute
