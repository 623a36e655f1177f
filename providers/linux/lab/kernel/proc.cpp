// SPDX-License-Identifier: Apache-2.0
// /proc: identity of the boot, time, and sysctl.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/kernel_files.hpp"
#include "providers/linux/lab/kernel/modules.hpp"

namespace fabric::lab {
namespace {

void install_sysctl(LinuxHost& machine, const std::string& path) {
  LinuxHost* owner = &machine;
  machine.state.files.install_generated(
      "/proc/sys/" + path,
      [owner, path] { return owner->sysctl(path, "") + "\n"; },
      [owner, path](std::string_view value) {
        const auto found = owner->state.sysctls.find(path);
        if (found == owner->state.sysctls.end()) return FileError::invalid;
        if (found->second != trim(value)) {
          found->second = trim(value);
          owner->note_change();
        }
        return FileError::none;
      });
}

}  // namespace

void install_proc(LinuxHost& machine, const Network& network) {
  FileTree& files = machine.state.files;
  files.erase_all_below("/proc");
  LinuxHost* owner = &machine;
  files.install_generated(
      "/proc/sys/kernel/random/boot_id", [owner] { return owner->state.boot_id + "\n"; });
  files.install_generated(
      "/proc/sys/kernel/hostname", [owner] { return owner->state.hostname + "\n"; });
  files.install_generated(
      "/proc/sys/kernel/osrelease", [] { return std::string{kKernelRelease} + "\n"; });
  files.install_generated("/proc/version", [] {
    return std::string{
        "Linux version 6.1.0-26-amd64 (debian-kernel@lists.debian.org) #1 SMP PREEMPT_DYNAMIC "
        "Debian 6.1.112-1 (2024-09-30)\n"};
  });
  files.install_generated("/proc/cmdline", [] {
    return std::string{"BOOT_IMAGE=/boot/vmlinuz-6.1.0-26-amd64 root=/dev/sda1 ro quiet\n"};
  });
  files.install_generated("/proc/uptime", [owner] {
    const double seconds = static_cast<double>(owner->uptime().count()) / 1000;
    return fmt::format("{:.2f} {:.2f}\n", seconds, seconds * 15);
  });
  files.install_generated("/proc/meminfo", [] {
    return std::string{"MemTotal:       65806044 kB\nMemFree:        61294732 kB\n"};
  });
  files.install_generated("/proc/stat", [owner] {
    return fmt::format(
        "cpu  1 0 1 1 0 0 0 0 0 0\nbtime {}\n",
        (owner->epoch + owner->booted.time_since_epoch().count()) / 1000);
  });
  files.install_directory("/proc/net");
  install_proc_of_links(machine, network);
  for (const auto& [path, value] : machine.state.sysctls)
    install_sysctl(machine, path);
}

}  // namespace fabric::lab
