// SPDX-License-Identifier: Apache-2.0
// sysctl(8)
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/kernel/links.hpp"

namespace fabric::lab::commands {
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
