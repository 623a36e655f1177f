// SPDX-License-Identifier: Apache-2.0
// Fencing on a Linux host: the words that each changing command is run behind. They read the lock,
// by what a shell can do without starting anything, and are the command then.
#pragma once

#include "engine/platform/fencing.hpp"

namespace fabric::platform {

class LinuxFencing final : public Fencing {
 public:
  // Where the lease is in force and would end before the step must be over, it is made to last: no
  // other run comes in while the step is at work. Exit 76, in place of the command's, where it is
  // not in force.
  remote::Step while_leased(const std::string& run, remote::Step step) const override;
  bool is_refusal(const remote::StepResult& result) const override;
};

}  // namespace fabric::platform
