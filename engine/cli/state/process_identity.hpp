// SPDX-License-Identifier: Apache-2.0
// The identity of this process, written into its lock on a node, and whether the holder of a lock
// has ended.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

#include "engine/base/abstract.hpp"
#include "engine/base/clock.hpp"
#include "engine/base/random.hpp"
#include "engine/execute/lease/leases.hpp"
#include "engine/platform/identity.hpp"

namespace fabric::cli {

// This process as the holder of `run`.
execute::LeaseHolder this_holder(const std::string& run);

enum class ProcessState : std::uint8_t {
  exists,
  none,    // the kernel says that there is no such process
  unknown  // the kernel tells neither
};

// The processes of a kernel.
class Kernel : public Abstract {
 public:
  // The boot and the namespaces in which a process id and a start time are valid; "" = unknown.
  virtual std::string place() const = 0;
  virtual ProcessState ask(pid_t pid) const = 0;
  // In ticks since the boot; "" = it can't be read, which proves nothing: /proc may be mounted with
  // hidepid, or not at all.
  virtual std::string start_time(pid_t pid) const = 0;
};

class ThisKernel final : public Kernel {
 public:
  std::string place() const override;
  ProcessState ask(pid_t pid) const override;
  std::string start_time(pid_t pid) const override;
};

// True only if the holder is a process of this kernel and of these namespaces, and the kernel tells
// that it does not exist, or that another process has its id. For another machine, container or
// boot the result is false, because a holder counts as alive until it is known to have ended.
bool has_ended(const execute::LeaseHolder& holder, const Kernel& kernel = ThisKernel{});

// The identity of this machine: its kernel's boot id and its machine id.
platform::Identity this_machine();

// Seeded differently in every process.
Random fresh_random(const Clock& clock);

}  // namespace fabric::cli
