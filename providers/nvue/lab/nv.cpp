// SPDX-License-Identifier: Apache-2.0
// `nv` itself, and the table of programs.
#include <vector>

#include "engine/base/text.hpp"
#include "providers/linux/lab/programs.hpp"
#include "providers/nvue/lab/nvue_machine.hpp"
#include "providers/nvue/lab/nvue_programs.hpp"

namespace fabric::lab {

const ProgramTable& nvue_programs() {
  static const std::vector<ProgramEntry> entries = [] {
    std::vector<ProgramEntry> all;
    for (const ProgramEntry& entry : linux_programs().entries) {
      const bool is_host = entry.package == Package::opensm || entry.package == Package::ofed ||
                           entry.package == Package::mlxconfig;
      if (!is_host && entry.name != "lldpcli" && entry.name != "uptime") all.push_back(entry);
    }
    all.push_back({"lldpcli", "/usr/sbin/lldpcli", Package::lldpd, nvue::lldpcli});
    all.push_back({"nv", "/usr/bin/nv", Package::base, nvue::nv});
    return all;
  }();
  static const ProgramTable table{entries};
  return table;
}

namespace nvue {

// A status other than 0, and the text on standard error (E-nvue-exec).
int nv(Process& process) {
  auto& machine = static_cast<NvueMachine&>(process.machine());
  constexpr Duration kClient{300};
  process.session.pass(kClient);
  const std::vector<std::string>& words = process.arguments;
  const std::string verb = words.size() > 1 ? words[1] : "";
  if (verb == "show") return show(process, machine);
  if (verb == "set" || verb == "unset" || verb == "config") return configure(process, machine);
  if (verb.empty()) {
    process.err("Error: Incomplete Command\n");
  } else {
    process.err(
        "Error: Invalid Command: " + join(Words{words.begin() + 1, words.end()}, " ") + "\n");
  }
  return 1;
}

}  // namespace nvue
}  // namespace fabric::lab
