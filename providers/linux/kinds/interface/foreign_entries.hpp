// SPDX-License-Identifier: Apache-2.0
// All that others configure of an interface: under the name that it has, under the one that it is
// to get, and in the .link files that fabric's own puts out of force.
#pragma once

#include <string>
#include <vector>

#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"

namespace fabric::providers {

// udev takes one .link file for an interface, the first by name. Those of others that are about
// `port`, by the name that it has now: all that come before the file `own`; else, as long as that
// is not written, the first that comes after it.
std::vector<ForeignEntry> other_link_files(
    const LinkTarget& port, const std::string& own, bool is_written, const FileTexts& files);

// REQUIRES: as NetworkBackend::foreign().
std::vector<ForeignEntry> foreign_entries(
    const FoundLink& link, const NetworkBackend& backend, const FileTexts& files);

}  // namespace fabric::providers
