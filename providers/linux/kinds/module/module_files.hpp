// SPDX-License-Identifier: Apache-2.0
// Files about kernel modules: which are loaded at boot, with which parameters, and which never.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

struct ModuleLine {
  std::string file;
  std::size_t line = 1, last = 1;
  bool owned = false;  // by fabric
};

struct ModuleOption : ModuleLine {
  std::string parameter, value;
};

// The configuration of one module, by its name as module_name gives it.
struct ModuleConfiguration {
  std::vector<ModuleLine> loads;      // modules-load.d
  std::vector<ModuleOption> options;  // modprobe.d and the kernel's command line, in force in order
  std::vector<ModuleLine> forbidden;  // `blacklist`, and an `install` that loads nothing
};

struct ModuleFiles {
  bool known = false;           // the probe ran
  FileTexts texts;              // the files in force: a file of /etc hides its namesakes elsewhere
  bool has_boot_image = false;  // an initramfs for the running kernel
  std::vector<std::string> newer;  // files of ours that the initramfs can't have yet
  std::string image_tool;          // "update-initramfs", "dracut", "" = none is there

  ModuleConfiguration of(const std::string& module) const;
};

// A line of modprobe.d about one module, in its words: "options", "mlx4_core", "num_vfs=8".
struct ModuleWords : ModuleLine {
  std::vector<std::string> words;
};
std::vector<ModuleWords> modprobe_lines(
    const std::string& module, const std::string& file, std::string_view text);

Probe module_files_probe();
const ModuleFiles& module_files(const NodeFacts& facts);

}  // namespace fabric::providers
