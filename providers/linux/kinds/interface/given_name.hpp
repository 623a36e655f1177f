// SPDX-License-Identifier: Apache-2.0
// A name for the interface that a port will have. Its link type changes with the next boot, the
// name that udev will give it then is unknown, and most back ends go by names. Where the document
// gives no name, fabric does: by a file of udev's that lies beside those of the back end and goes
// with them. Facts: systemd.link(5): the first file that matches is the only one, so a low number
// goes before the names that a distribution or an administrator gives with 50 and more.
#pragma once

#include <cstdint>

#include "engine/platform/facts.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"

namespace fabric::providers {

// udev reads the file with any mode.
inline constexpr std::uint32_t kNameFileMode = 0644;

// For the link of a resource that find_link() found. Without effect where no name is needed, and
// where none can be given: one that is too long, or that another interface has.
void give_names(FoundLink& link, const Resource& resource, const NodeFacts& facts);

// Whether the file that gives the target its name says so on the node; true without one.
bool is_name_given(const LinkTarget& target, const FileTexts& files);

}  // namespace fabric::providers
