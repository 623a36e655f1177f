// SPDX-License-Identifier: Apache-2.0
// Fencing: the node itself refuses a changing step when the lease of the run that sent it is not in
// force there. A run that was held up while its lease ran out, or that another run has taken over,
// can't know that: a step that it has sent may still arrive, and only the node's own clock decides.
#pragma once

#include <string>

#include "engine/remote/runner.hpp"

namespace fabric::platform {

class Fencing {
 public:
  Fencing() = default;
  Fencing(const Fencing&) = delete;
  Fencing& operator=(const Fencing&) = delete;
  virtual ~Fencing() = default;

  // A step that does the same, but changes nothing and fails unless the lease of `run`
  // (LeaseHolder::run) is in force on the node at the moment when the node begins it.
  virtual remote::Step while_leased(const std::string& run, remote::Step step) const = 0;
  // True if a step of while_leased() failed because the lease was not in force: then nothing of it
  // was done.
  virtual bool is_refusal(const remote::StepResult& result) const = 0;
};

}  // namespace fabric::platform
