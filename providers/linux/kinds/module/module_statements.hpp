// SPDX-License-Identifier: Apache-2.0
// Lines of foreign files of modprobe.d that stand against the document: `adopt` takes them over.
#pragma once

#include <vector>

#include "engine/model/resource.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/interface/adoption.hpp"
#include "providers/linux/kinds/module/module_files.hpp"

namespace fabric::providers {

// Whose files, and whose copies: LinkTarget of adoption.hpp for a module.
LinkTarget adopted_module(const Resource& resource);
// Another value of a parameter that the document has, or a line that keeps a module from being
// loaded that the document wants. Without those of other folders than /etc/modprobe.d, which
// packages own, of the kernel's command line, and with a secret. None without `adopt`.
std::vector<ForeignEntry> module_entries(
    const Resource& resource, const ModuleFiles& files, const FileDigests& digests);
// Of every line about the module in the files of `entries`: those of `entries` go, word by word;
// the others stay.
std::vector<Statement> module_statements(
    const Resource& resource, const ModuleFiles& files, const std::vector<ForeignEntry>& entries);

}  // namespace fabric::providers
