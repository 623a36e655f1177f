// SPDX-License-Identifier: Apache-2.0
// What runs on a node and what came back. Nothing here knows of resources, plans or providers.
#pragma once

#include <string>
#include <vector>

#include "engine/base/clock.hpp"

namespace fabric::remote {

using Argv = std::vector<std::string>;

struct Command {
  Argv argv;  // never a shell string; quoted by remote/shell
  std::string standard_input;
  Duration timeout{30'000};  // of the whole command, from its start
  bool operator==(const Command&) const = default;
};

struct CommandOutput {
  int exit_status = 0;  // 128 + n if a signal ended it, as a shell says it
  std::string standard_output;
  std::string standard_error;
  bool operator==(const CommandOutput&) const = default;
};

}  // namespace fabric::remote
