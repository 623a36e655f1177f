// SPDX-License-Identifier: Apache-2.0
#include "engine/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace fabric {

void report_bug(const char* file, int line, const char* why) {
  // Nothing can be done about a failure to say it.
  (void)std::fprintf(stderr, "fabric: bug: %s (%s:%d)\n", why, file, line);
  (void)std::fflush(stderr);
  std::abort();
}

}  // namespace fabric
