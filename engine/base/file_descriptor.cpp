// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file_descriptor.hpp"

#include <sys/resource.h>

namespace fabric {

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace fabric
