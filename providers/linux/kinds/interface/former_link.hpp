// SPDX-License-Identifier: Apache-2.0
// The interface that fabric's files made of a resource before. A VLAN that had another id or port,
// or an interface that had another name, leaves other files and another device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"

namespace fabric::providers {

struct FormerLink {
  std::vector<Card> cards;  // the cards to which `link` points
  FoundLink link;
};

// The VLAN or P_Key child that a file of fabric made for this resource under another name, if it
// still exists.
std::optional<FormerLink> former_link(
    const Resource& resource,
    const LinkTarget& target,
    const NodeFacts& facts,
    const FileTexts& files,
    const RunningLinks& links);

// Removes the former interface before the new one is made, because both would have the same
// address. Empty without `former`.
std::vector<remote::Argv> release_former(
    const std::optional<FormerLink>& former, const NetworkBackend& backend);
std::vector<remote::Argv> restore_former(
    const std::optional<FormerLink>& former, const NetworkBackend& backend);

// The paths of all files whose marker names this resource.
std::vector<std::string> files_about(const ResourceAddress& address, const FileTexts& files);

}  // namespace fabric::providers
