// SPDX-License-Identifier: Apache-2.0
// The lock of a Linux host: kLockFile, taken, renewed and released under flock(1). Its clock is the
// node's time since boot; a lease of an earlier boot counts for its whole length from the boot on.
#pragma once

#include "engine/platform/host_parts.hpp"

namespace fabric::platform {

inline constexpr const char* kLockFile = "/var/lib/fabric/lock";

class LinuxNodeLock final : public NodeLock {
 public:
  remote::Step take(
      const LeaseHolder& holder, Duration length, const std::string& over) const override;
  remote::Step read() const override;
  remote::Step release(const std::string& run) const override;
  Result<LeaseAnswer> answer(const remote::StepResult& result) const override;
};

}  // namespace fabric::platform
