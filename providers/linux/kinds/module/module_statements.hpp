// SPDX-License-Identifier: Apache-2.0
// Lines of foreign modprobe.d files that contradict the document: `adopt` takes them over.
#pragma once

#include <vector>

#include "engine/model/resource.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/interface/adoption.hpp"
#include "providers/linux/kinds/module/module_files.hpp"

namespace fabric::providers {

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
