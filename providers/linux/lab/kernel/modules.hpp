// SPDX-License-Identifier: Apache-2.0
// Kernel modules of a simulated host: those of Debian 12's kernel that matter to a fabric, with the
// parameters that their sources declare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/lab/host/linux_host.hpp"

namespace fabric::lab {

inline constexpr const char* kKernelRelease = "6.1.0-26-amd64";
inline constexpr const char* kBootImage = "/boot/initrd.img-6.1.0-26-amd64";

struct KernelParameter {
  std::string_view name;
  char type = 'i';  // i: number, b: truth, a: list of numbers
  std::uint32_t mode = 0444;
  std::string_view value;  // by default
};

struct KernelModule {
  std::string_view name;
  std::uint32_t size = 0;
  std::string_view depends;  // names with blanks between
  std::vector<KernelParameter> parameters{};
};

// Null if the kernel has no such module, or has it built in.
const KernelModule* find_module(std::string_view name);
bool is_built_in(std::string_view name);

// Installs modules.builtin, and the initramfs with its copy of modprobe.d.
void install_kernel_files(LinuxHost& machine);
// The copy of modprobe.d in an initramfs that is made now.
std::string boot_image_text(const FileTree& files);

// Returns "" or an error. Loads its dependencies too, with the options of modprobe.d.
std::string load_module(LinuxHost& machine, const std::string& name);
// "" on success.
std::string unload_module(LinuxHost& machine, const std::string& written);
// At boot: the cards' drivers from the initramfs, then modules-load.d.
void load_boot_modules(LinuxHost& machine);
// The value of a parameter in the initramfs's copy of modprobe.d; "" if none.
std::string boot_option(const LinuxHost& machine, std::string_view module, std::string_view name);

// Installs /proc/modules and /sys/module.
void install_module_files(LinuxHost& machine);
// The names of the loaded modules that need `name`.
std::vector<std::string> users_of(const LinuxHost& machine, std::string_view name);

}  // namespace fabric::lab
