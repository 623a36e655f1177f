// SPDX-License-Identifier: Apache-2.0
// The rollback timer of a Linux host: /var/lib/fabric/guard/TOKEN with the files to restore and a
// script that restores them, and a systemd timer that starts the script unless the token's owner
// disarms it. Without systemd a sleeping process or a line of cron starts the script.
#pragma once

#include "engine/platform/rollback_timer.hpp"

namespace fabric::platform {

class LinuxRollbackTimer final : public RollbackTimer {
 public:
  // Exit status 75 while another timer is armed.
  remote::Step arm(const GuardOrder& order, const WorkSteps& undo) const override;
  bool holds_back(const remote::Step& step) const override;
  remote::Step while_armed(const std::string& token, remote::Step step) const override;
  remote::Step disarm(const std::string& token) const override;
  remote::Step fire(const std::string& token) const override;
  remote::Step ask(const std::string& token) const override;
  remote::Step clear(const std::string& token) const override;
  GuardState state(const remote::StepResult& result) const override;
  remote::Step find() const override;
  std::vector<FoundGuard> found(const remote::StepResult& result) const override;
};

}  // namespace fabric::platform
