// SPDX-License-Identifier: Apache-2.0
// BootProtocol: proves that a node has rebooted by its boot_id alone (which its platform has for
// each boot and for no other, platform/boot_proof): a lost connection, a closed port or an uptime
// alone prove nothing. Where a platform has no boot_id but a mark in memory, a boot is another mark
// beside an uptime shorter than the time since the node last showed the boot before. A pure state
// machine: it takes observations and returns the next step.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/clock.hpp"
#include "engine/platform/host_parts.hpp"
#include "engine/remote/runner.hpp"
#include "plans/plan.hpp"

namespace fabric::execute {

// Phases of a reboot that are shown; the others only with --verbose.
inline constexpr std::string_view kRebooting = "rebooting";
inline constexpr std::string_view kComingUp = "waiting for the node to come back";

class BootProtocol {
 public:
  enum class Want : std::uint8_t {
    send,  // send the reboot command, after `pause`
    ask,   // ask for the boot_id over a new connection, after `pause`
    end
  };
  struct Request {
    Want want = Want::end;
    Duration pause{0};
  };
  enum class Verdict : std::uint8_t {
    rebooted,
    not_rebooted,  // the same boot_id after the deadline
    not_sent,      // the command never ran
    lost,          // it went down and did not come back in time
    unstable       // its boot_id keeps changing
  };

  // The boot that ran at `seen`. REQUIRES: its mark is not empty.
  BootProtocol(platform::Boot before, TimePoint seen, plans::RebootDeadlines deadlines);

  Request begin(TimePoint now);
  // Replaces begin() and sent() where a person boots the node.
  Request watch(TimePoint now);
  // The result of the command; `trouble` is not empty if its exit status was not 0.
  Request sent(TimePoint now, remote::Outcome outcome, const std::string& trouble);
  // The node's answer: the boot that runs, or nullopt if it does not show that.
  Request heard(TimePoint now, const std::optional<platform::Boot>& boot);

  // REQUIRES: the last request was `end`.
  Verdict verdict() const { return verdict_; }
  // For people: the observations; "" if there is nothing to add to the verdict.
  const std::string& detail() const { return detail_; }
  // The boot that runs now: "5f8c1d2e-...", a boot_id, or "mark 712".
  std::string boot_text() const;
  // True if nothing of a boot was seen yet.
  bool still_waits() const { return state_ == State::going_down; }
  // "waiting for the node to go down"
  std::string_view phase() const;

 private:
  enum class State : std::uint8_t { sending, going_down, coming_up, staying, ended };
  Request end(Verdict verdict, std::string detail);
  Request still_the_old_boot(TimePoint now);
  Request another_boot(TimePoint now, const platform::Boot& boot);
  bool is_same(
      const platform::Boot& known, TimePoint seen, const platform::Boot& boot, TimePoint now) const;
  Request silent(TimePoint now);
  Request ask_in(Duration pause) const { return {Want::ask, pause}; }

  platform::Boot before_;
  platform::Boot now_running_;
  TimePoint seen_before_, seen_running_;  // when these boots were last seen
  plans::RebootDeadlines deadlines_;
  State state_ = State::sending;
  Verdict verdict_ = Verdict::not_sent;
  std::string detail_, trouble_;
  TimePoint down_by_, up_by_;
  int sends_ = 0;
  int boots_ = 0;
};

}  // namespace fabric::execute
