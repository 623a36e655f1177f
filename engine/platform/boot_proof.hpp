// SPDX-License-Identifier: Apache-2.0
// BootProof: how a platform is rebooted, and what proves that it has booted.
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
  // Since the system started. Known where a mark may also be gone without a boot; then both have to
  // tell of one.
  std::optional<Duration> uptime{};
};

class BootProof {
 public:
  BootProof() = default;
  BootProof(const BootProof&) = delete;
  BootProof& operator=(const BootProof&) = delete;
  virtual ~BootProof() = default;

  // Whether each reading tells an id of the boot (Identity::boot_id); else ask() alone does.
  virtual bool has_boot_id() const { return true; }
  // Of an action, run on the node.
  virtual remote::Argv reboot_command() const = 0;
  // Which boot runs, asked over a new session. Where a platform has no id of a boot
  // (Identity::boot_id is empty), it leaves a mark in memory if there is none yet.
  virtual remote::Step ask() const = 0;
  // The answer to ask(); nullopt if the result is no answer. The mark is Identity::boot_id of a
  // platform that has one.
  virtual std::optional<Boot> boot(const remote::StepResult& result) const = 0;
};

}  // namespace fabric::platform
