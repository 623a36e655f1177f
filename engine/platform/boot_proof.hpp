// BootProof: how a platform is rebooted, and what proves that it has booted.
#pragma once

#include <optional>
#include <string>

#include "engine/remote/runner.hpp"

namespace fabric::platform {

class BootProof {
 public:
  BootProof() = default;
  BootProof(const BootProof&) = delete;
  BootProof& operator=(const BootProof&) = delete;
  virtual ~BootProof() = default;

  // Of an action, run on the node.
  virtual remote::Argv reboot_command() const = 0;
  // Which boot runs, asked over a new session.
  virtual remote::Step ask() const = 0;
  // Identity::boot_id of what ask() was answered; nothing where that is no answer.
  virtual std::optional<std::string> boot_id(const remote::StepResult& result) const = 0;
};

}  // namespace fabric::platform
