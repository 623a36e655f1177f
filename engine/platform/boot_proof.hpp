// SPDX-License-Identifier: Apache-2.0
// BootProof: the reboot command of a platform, and the proof that a node has booted.
#pragma once

#include <optional>
#include <string>

#include "engine/base/clock.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::platform {

// The marks of its boot that a running node shows.
struct Boot {
  // A mark that no other boot has: its id, or a mark in memory that only a boot wipes.
  std::string mark;
  // The time since the system started. Known where a mark may also be gone without a boot; then
  // both have to show one.
  std::optional<Duration> uptime{};
};

class BootProof {
 public:
  BootProof() = default;
  BootProof(const BootProof&) = delete;
  BootProof& operator=(const BootProof&) = delete;
  virtual ~BootProof() = default;

  // True if each reading has an id of the boot (Identity::boot_id); else only ask() shows the boot.
  virtual bool has_boot_id() const { return true; }
  // The command of a reboot action, run on the node.
  virtual remote::Argv reboot_command() const = 0;
  // Asks over a new session which boot runs. On a platform without an id of a boot
  // (Identity::boot_id is empty), it leaves a mark in memory if there is none yet.
  virtual remote::Step ask() const = 0;
  // The answer to ask(); nullopt if the result is no answer. The mark is Identity::boot_id on a
  // platform that has it.
  virtual std::optional<Boot> boot(const remote::StepResult& result) const = 0;
};

}  // namespace fabric::platform
