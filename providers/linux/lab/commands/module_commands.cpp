// SPDX-License-Identifier: Apache-2.0
// lsmod modinfo modprobe ofed_info update-initramfs
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/modules.hpp"

namespace fabric::lab::commands {

int lsmod(Process& process) {
  process.out("Module                  Size  Used by\n");
  for (const auto& [name, values] : process.machine().state.modules) {
    const std::vector<std::string> users = users_of(process.machine(), name);
    process.out(fmt::format(
        "{:<19} {:>8}  {}{}{}\n",
        name,
        find_module(name)->size,
        users.size(),
        users.empty() ? "" : " ",
        join(users, ",")));
  }
  return 0;
}

// Only `-n`, for a driver that MLNX_OFED replaced.
int modinfo(Process& process) {
  if (process.arguments.size() != 3 || process.arguments[1] != "-n")
    return process.fail(1, "ERROR: missing module or filename.");
  const std::string& name = process.arguments[2];
  if (find_module(name) == nullptr)
    return process.fail(1, fmt::format("ERROR: Module {} not found.", name));
  process.out(fmt::format("/lib/modules/{}/updates/dkms/{}.ko\n", kKernelRelease, name));
  return 0;
}

int ofed_info(Process& process) {
  const std::string& version = process.machine().profile.ofed;
  const bool brief = process.arguments.size() == 2 && process.arguments[1] == "-s";
  process.out(fmt::format("MLNX_OFED_LINUX-{}{}:\n", version, brief ? "" : " (OFED)"));
  return 0;
}

namespace {

// Some modules bring interfaces, or files that tell of interfaces.
std::string load(Process& process, const std::string& name) {
  LinuxHost& machine = process.machine();
  const bool had_bonding = machine.state.modules.contains("bonding");
  std::string why = load_module(machine, name);
  if (!had_bonding && machine.state.modules.contains("bonding"))
    make_bonds_of_module(machine, process.session.network);
  show_interfaces(machine, process.session.network);
  return why;
}

std::string unload(Process& process, const std::string& name) {
  std::string why = unload_module(process.machine(), name);
  const bool makes_links = name == "bonding" || name == "8021q";
  if (why.empty() && makes_links)
    remove_links_of_module(process.machine(), process.session.network, name);
  return why;
}

}  // namespace

int modprobe(Process& process) {
  const std::optional<Options> options = parse_options(
      process, {.flags = "raqvb", .long_flags = {"remove", "all", "quiet", "use-blacklist"}});
  if (!options) return 1;
  if (options->operands.empty()) return process.fail(1, "ERROR: missing parameters. See -h.");
  const bool remove = options->has("r") || options->has("remove");
  // Without -r and -a what follows the name are parameters, which the lab takes from files alone.
  std::vector<std::string> names = options->operands;
  if (!remove && !options->has("a") && !options->has("all")) names.resize(1);
  if (!process.root()) {
    return process.fail(
        1, fmt::format("ERROR: could not insert '{}': Operation not permitted", names.front()));
  }
  for (const std::string& name : names) {
    const std::string why = remove ? unload(process, name) : load(process, name);
    if (why.empty()) continue;
    const bool kernel = why.starts_with("could not insert");
    if (options->has("q") || options->has("quiet")) return 1;
    return process.fail(1, (kernel ? "ERROR: " : "FATAL: ") + why);
  }
  return 0;
}

// -u [-k VERSION|all]; there is one kernel.
int update_initramfs(Process& process) {
  constexpr Duration kTakes{9'000};
  const std::optional<Options> options = parse_options(process, {.flags = "ucdv", .valued = "k"});
  if (!options || !options->has("u")) {
    process.err("You must specify at least one of -c, -u, or -d.\n");
    return 1;
  }
  if (!process.root()) {
    process.err("E: update-initramfs needs root\n");
    return 1;
  }
  process.session.pass(kTakes);
  process.out(fmt::format("update-initramfs: Generating {}\n", kBootImage));
  return process.write_file(kBootImage, boot_image_text(process.files())) ? 0 : 1;
}

}  // namespace fabric::lab::commands
