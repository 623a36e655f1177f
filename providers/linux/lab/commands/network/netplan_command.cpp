// SPDX-License-Identifier: Apache-2.0
// netplan
#include <fmt/format.h>

#include "providers/linux/lab/commands/network/net_families.hpp"
#include "providers/linux/lab/network/netplan.hpp"

namespace fabric::lab::commands {

int netplan(Process& process) {
  std::vector<std::string> words{process.arguments.begin() + 1, process.arguments.end()};
  std::erase(words, "--debug");
  const std::string verb = words.empty() ? "" : words[0];
  constexpr std::string_view kUsage = "usage: /usr/sbin/netplan  [-h] [--debug]  ...\n";
  if (verb != "generate" && verb != "apply" && verb != "try") {
    process.err(kUsage);
    if (!verb.empty())
      process.err(fmt::format(
          "/usr/sbin/netplan: error: argument : invalid choice: '{}' (choose from 'help', 'apply', "
          "'generate', 'get', 'info', 'ip', 'set', 'rebind', 'status', 'try')\n",
          verb));
    return 2;
  }
  if (words.size() > 1) {
    process.err(fmt::format("{}netplan: error: unrecognized arguments: {}\n", kUsage, words[1]));
    return 2;
  }
  if (verb == "try") {
    process.err("netplan try needs a terminal\n");
    return 1;
  }
  if (!process.root()) {
    process.err("ERROR: cannot create file /run/systemd/network: Permission denied\n");
    return verb == "apply" ? 78 : 1;
  }
  if (verb == "apply") {
    process.session.pass(Duration{500});
    return netplan_apply(process);
  }
  const NetplanGenerated generated = netplan_generate(process.machine());
  process.err(generated.messages);
  return generated.status;
}

}  // namespace fabric::lab::commands
