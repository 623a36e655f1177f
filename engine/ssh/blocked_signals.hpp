// SPDX-License-Identifier: Apache-2.0
// BlockedSignals: while it exists, this thread takes no signal, nor does a thread or child that
// begins meanwhile.
#pragma once

#include <csignal>

namespace fabric::ssh {

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
