// SPDX-License-Identifier: Apache-2.0
// The work on a kernel module that is not as desired.
#pragma once

#include <string>

#include "engine/provider/change.hpp"
#include "engine/provider/provider.hpp"
#include "providers/linux/kinds/module/module_files.hpp"

namespace fabric::providers {

inline constexpr const char* kLoaded = "loaded";

// `name` as module_name gives it.
std::string load_path(const std::string& name);     // "/etc/modules-load.d/fabric-bonding.conf"
std::string options_path(const std::string& name);  // "/etc/modprobe.d/fabric-bonding.conf"

// True for a card's driver, which starts in the initramfs with its copy of modprobe.d.
bool waits_for_image(const std::string& name, const ModuleFiles& files);
// Adds to a draft that changes files of modprobe.d, and to its undo, that the initramfs is rebuilt,
// for all installed kernels, because the next boot may take another one.
void rebuild_image(ActionDraft& draft, const ModuleFiles& files);

Result<Work> module_work(const Change& change, const WorkContext& context);

}  // namespace fabric::providers
