// SPDX-License-Identifier: Apache-2.0
// The user's ssh-agent, asked by ourselves how many keys it holds: libssh would wait without limit
// for an agent that does not answer.
#pragma once

#include <string>

#include "engine/base/file_descriptor.hpp"
#include "engine/ssh/environment.hpp"

namespace fabric::ssh {

struct Agent {
  FileDescriptor connection;
  std::uint32_t keys = 0;
  std::string problem;  // why there is none; keys is 0
};

Agent ask_agent(const std::string& socket_path, TimePoint deadline, const Environment& environment);

}  // namespace fabric::ssh
