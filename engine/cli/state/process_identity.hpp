// SPDX-License-Identifier: Apache-2.0
// The identity of this process for those who find its lock on a node, and whether a holder has
// ended.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

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
  unknown  // it says neither
};

// The processes of a kernel, as it shows them.
class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;
  // The boot and the namespaces in which a process id and a start time mean something; "" = that
  // can't be told.
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

// True only for a process of this very kernel and of these namespaces of which the kernel says that
// it does not exist, or that another process has its id. Nothing can be known from here of any
// other machine, container or boot, and a holder that is not known to have ended is alive.
bool has_ended(const execute::LeaseHolder& holder, const Kernel& kernel = ThisKernel{});

// The machine that this process runs on, by its kernel's boot id and its machine id.
platform::Identity this_machine();

// A seed of its own for every process.
Random fresh_random(const Clock& clock);

}  // namespace fabric::cli
