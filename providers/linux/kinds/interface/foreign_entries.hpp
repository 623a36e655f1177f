// SPDX-License-Identifier: Apache-2.0
// All that others configure of an interface: under the name that it has, under the one that it is
// to get, and in the .link files that fabric's own puts out of force.
#pragma once

#include <string>
#include <vector>

#include "engine/platform/facts.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"

namespace fabric::providers {

// udev takes one .link file for an interface, the first by name. Those of others that are about
// `port`, by the name that it has now: all that come before the file `own`; else, as long as that
// is not written, the first that comes after it.
std::vector<ForeignEntry> other_link_files(
    const LinkTarget& port, const std::string& own, bool is_written, const FileTexts& files);

// A line of a file of others.
struct ForeignLine {
  std::string path;
  std::size_t line = 1;
  std::string text;
};

// The lines of others, in files of all formats that the node reads, that name `port` as it is
// called now, and mean it no more once it is called `name`. `judge`: the back end by which fabric
// configures the port and its bond, and judges what others say of these two; null: it does not.
std::vector<ForeignLine> lines_with_former_name(
    const LinkTarget& port,
    const std::string& name,
    const NetworkBackend* judge,
    const NodeFacts& facts);

// REQUIRES: as NetworkBackend::foreign().
std::vector<ForeignEntry> foreign_entries(
    const FoundLink& link, const NetworkBackend& backend, const FileTexts& files);

}  // namespace fabric::providers
