// SPDX-License-Identifier: Apache-2.0
// A name for the interface that a port will have. Its link type changes with the next boot, the
// name that udev will give it then is unknown, and most back ends configure by name. Where the
// document gives no name, fabric does, by a file of udev that is kept and removed with the back
// end's files. Facts: systemd.link(5): only the first file that matches counts, so a low number
// precedes the names that a distribution or an administrator gives with 50 and more.
#pragma once

#include <cstdint>

#include "engine/platform/facts.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"

namespace fabric::providers {

// udev reads the file with any mode.
inline constexpr std::uint32_t kNameFileMode = 0644;

// Adds a name to the link of a resource that find_link() found. Does nothing where no name is
// needed, and where none can be given: it would be too long, or another interface has it.
void give_names(FoundLink& link, const Resource& resource, const NodeFacts& facts);

// True if the file on the node gives the target its name, or if no file is needed.
bool is_name_given(const LinkTarget& target, const FileTexts& files);

}  // namespace fabric::providers
