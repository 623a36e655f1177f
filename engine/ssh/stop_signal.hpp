// SPDX-License-Identifier: Apache-2.0
// StopSignal: tells every thread that waits in this layer to give up, at once.
#pragma once

#include <atomic>
#include <csignal>
#include <mutex>
#include <set>

#include "engine/base/file_descriptor.hpp"

namespace fabric::ssh {

class StopSignal {
 public:
  StopSignal();
  void raise();
  bool raised() const { return raised_.load(); }
  // A descriptor that is readable from raise() on, for poll().
  int descriptor() const { return event_.get(); }

  // While it exists, raise() shuts `descriptor` down, for reads inside libssh that nothing else
  // ends.
  class Guard {
   public:
    Guard(StopSignal& stop, int descriptor);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    StopSignal& stop_;
    int descriptor_;
  };

 private:
  FileDescriptor event_;
  std::atomic<bool> raised_ = false;
  std::mutex mutex_;
  std::set<int> guarded_;
};

// BlockedSignals: while it exists, this thread takes no signal, nor does a thread or child that
// begins meanwhile.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace fabric::ssh
