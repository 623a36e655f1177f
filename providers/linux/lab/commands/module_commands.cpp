// SPDX-License-Identifier: Apache-2.0
// lsmod modinfo modprobe ofed_info update-initramfs sysctl
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/kernel/links.hpp"
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

// sysctl(8)

namespace {

int no_such_key(Process& process, const std::string& path) {
  return process.fail(1, fmt::format("cannot stat /proc/sys/{}: No such file or directory", path));
}

int sysctl_write(Process& process, const SysctlLine& line, const std::string& shown) {
  const bool pattern = line.path.find('*') != std::string::npos;
  if (!pattern && !process.machine().state.sysctls.contains(line.path))
    return line.ignore_errors ? 0 : no_such_key(process, line.path);
  if (!process.root())
    return process.fail(1, fmt::format("permission denied on key \"{}\"", shown));
  if (!apply_sysctl(process.machine(), line) && !line.ignore_errors) return 1;
  return 0;
}

std::string shown_key(std::string path) {
  for (char& c : path)
    c = c == '/' ? '.' : c == '.' ? '/' : c;
  return path;
}

int sysctl_file(Process& process, const std::vector<SysctlLine>& lines) {
  int status = 0;
  for (const SysctlLine& line : lines) {
    const int one = sysctl_write(process, line, shown_key(line.path));
    if (one == 0) process.out(fmt::format("{} = {}\n", shown_key(line.path), line.value));
    status = std::max(status, one);
  }
  return status;
}

// --system: everything that the boot would apply.
int sysctl_system(Process& process) {
  std::string last;
  int status = 0;
  for (const SysctlLine& line : sysctl_lines(process.machine())) {
    if (line.file != last) process.out(fmt::format("* Applying {} ...\n", line.file));
    last = line.file;
    status = std::max(status, sysctl_file(process, {line}));
  }
  return status;
}

// -p [FILE...]
int sysctl_load(Process& process, std::vector<std::string> files) {
  int status = 0;
  if (files.empty()) files.emplace_back("/etc/sysctl.conf");
  for (const std::string& file : files) {
    const std::optional<std::string> content = process.read_file(file);
    status =
        std::max(status, content ? sysctl_file(process, parse_sysctl_file(file, *content)) : 1);
  }
  return status;
}

int sysctl_all(Process& process) {
  for (const auto& [path, value] : process.machine().state.sysctls)
    process.out(fmt::format("{} = {}\n", shown_key(path), value));
  return 0;
}

void show_value(
    Process& process, const Options& options, const std::string& key, const std::string& value) {
  process.out(options.has("n") ? value + "\n" : fmt::format("{} = {}\n", key, value));
}

// KEY=VALUE
int sysctl_set(Process& process, const Options& options, const std::string& operand) {
  const std::size_t equals = operand.find('=');
  const std::string key{trim(operand.substr(0, equals))};
  SysctlLine line;
  line.path = sysctl_path(key);
  line.value = trim(operand.substr(equals + 1));
  line.ignore_errors = options.has("e");
  const int status = sysctl_write(process, line, key);
  if (status == 0 && !options.has("q")) show_value(process, options, key, line.value);
  return status;
}

// KEY
int sysctl_get(Process& process, const Options& options, const std::string& operand) {
  const std::string key{trim(operand)};
  const std::string path = sysctl_path(key);
  const auto found = process.machine().state.sysctls.find(path);
  if (found == process.machine().state.sysctls.end())
    return options.has("e") ? 0 : no_such_key(process, path);
  show_value(process, options, key, found->second);
  return 0;
}

}  // namespace

int sysctl(Process& process) {
  std::replace(
      process.arguments.begin(), process.arguments.end(), std::string{"--load"}, std::string{"-p"});
  const std::optional<Options> options = parse_options(
      process,
      {.flags = "nwpeaqN",
       .valued = "",
       .long_flags = {"system", "all", "write"},
       .long_valued = {}});
  if (!options) return 1;
  if (options->has("system")) return sysctl_system(process);
  if (options->has("p")) return sysctl_load(process, options->operands);
  if (options->has("a") || options->has("all")) return sysctl_all(process);
  int status = 0;
  for (const std::string& operand : options->operands) {
    const bool set = operand.find('=') != std::string::npos;
    const int one =
        set ? sysctl_set(process, *options, operand) : sysctl_get(process, *options, operand);
    status = std::max(status, one);
  }
  return status;
}

}  // namespace fabric::lab::commands
