// SPDX-License-Identifier: Apache-2.0
#include "engine/base/secrets/core_dump.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

// A debugger, and a sanitizer that looks for leaks, read the memory of the program.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FABRIC_IS_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FABRIC_IS_WATCHED 1
#endif
#endif

namespace fabric {

void keep_memory_private() {
  const rlimit none{0, 0};
  // Less is always allowed.
  setrlimit(RLIMIT_CORE, &none);
#if defined(NDEBUG) && !defined(FABRIC_IS_WATCHED)
  // A program that takes dumps by a pipe (core_pattern) does not ask for the limit.
  prctl(PR_SET_DUMPABLE, 0);
#endif
}

}  // namespace fabric
