// SPDX-License-Identifier: Apache-2.0
// The port that a tool of infiniband-diags uses.
#pragma once

#include <optional>
#include <string_view>

#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

struct UsedPort {
  std::size_t card = 0;
  std::uint32_t port = 0;
};

// The port of -C and -P; without them the first active port, or else the first.
std::optional<UsedPort> chosen_port(
    const LinuxHost& machine, const Network& network, const Options& options);
// Prints the error of a tool that can't open a port.
void no_umad_port(Process& process, const Options& options, std::string_view tool);

}  // namespace fabric::lab::commands
