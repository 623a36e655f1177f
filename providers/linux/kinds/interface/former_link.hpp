// SPDX-License-Identifier: Apache-2.0
// What our files made of a resource before: its VLAN may have had another id or stood on another
// port, and its interface another name, and then other files and another device are left of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"

namespace fabric::providers {

struct FormerLink {
  std::vector<Card> cards;  // that `link` points into
  FoundLink link;
};

// The VLAN or P_Key child that a file of ours says was made for this resource under another name,
// if it is still there.
std::optional<FormerLink> former_link(
    const Resource& resource,
    const LinkTarget& target,
    const NodeFacts& facts,
    const FileTexts& files,
    const RunningLinks& links);

// Removes the former interface before the new one is made: both would have the same address.
// Nothing without `former`.
std::vector<remote::Argv> release_former(
    const std::optional<FormerLink>& former, const NetworkBackend& backend);
std::vector<remote::Argv> restore_former(
    const std::optional<FormerLink>& former, const NetworkBackend& backend);

// The paths of all files whose marker names this resource.
std::vector<std::string> files_about(const ResourceAddress& address, const FileTexts& files);

}  // namespace fabric::providers
