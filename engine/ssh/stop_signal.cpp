// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/stop_signal.hpp"

#include <cstdint>

#include <sys/eventfd.h>
#include <sys/socket.h>

namespace fabric::ssh {

StopSignal::StopSignal() : event_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {}

void StopSignal::raise() {
  const std::lock_guard lock{mutex_};
  raised_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(event_.get(), &one, sizeof one);
  for (const int descriptor : guarded_)
    shutdown(descriptor, SHUT_RDWR);
}

StopSignal::Guard::Guard(StopSignal& stop, int descriptor) : stop_{stop}, descriptor_{descriptor} {
  const std::lock_guard lock{stop_.mutex_};
  stop_.guarded_.insert(descriptor_);
  if (stop_.raised_) shutdown(descriptor_, SHUT_RDWR);
}

StopSignal::Guard::~Guard() {
  const std::lock_guard lock{stop_.mutex_};
  stop_.guarded_.erase(descriptor_);
}

}  // namespace fabric::ssh
