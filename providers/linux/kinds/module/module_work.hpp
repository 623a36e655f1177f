// SPDX-License-Identifier: Apache-2.0
// The work on a kernel module that is not as desired.
#pragma once

#include <string>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/provider.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/interface/adoption.hpp"
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

// Lines of foreign modprobe.d files that contradict the document: `adopt` takes them over.
// The target by which adoption.hpp marks a module's files and copies.
LinkTarget adopted_module(const Resource& resource);
// Lines that give another value to a parameter of the document, or keep a module that the document
// wants from being loaded. Without lines in folders other than /etc/modprobe.d, which packages own,
// on the kernel's command line, and with a secret. Empty without `adopt`.
std::vector<ForeignEntry> module_entries(
    const Resource& resource, const ModuleFiles& files, const FileDigests& digests);
// Statements for every line about the module in the files of `entries`: the lines of `entries` are
// taken out word by word; the others stay.
std::vector<Statement> module_statements(
    const Resource& resource, const ModuleFiles& files, const std::vector<ForeignEntry>& entries);

}  // namespace fabric::providers
