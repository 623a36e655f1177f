// SPDX-License-Identifier: Apache-2.0
// The takeover of one interface: each statement of its files, and running values that no file has,
// each with the document's answer to it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"

namespace fabric::providers {

// REQUIRES: link.why is ""; backend.obstacle() is "". `entries` are those of backend.foreign().
// What runs comes last, and only where no file of ours is about the resource.
std::vector<Statement> link_statements(
    const Resource& resource,
    const FoundLink& link,
    const NetworkBackend& backend,
    const std::vector<ForeignEntry>& entries,
    const NodeFacts& facts);

// Attributes that run, beyond what the kernel does by itself, and that the document does not name:
// what is taken over ends with the adoption, now as at the next boot.
std::set<std::string> running_beyond(
    const Resource& resource,
    const FoundLink& link,
    const std::vector<ForeignEntry>& entries,
    const NodeFacts& facts);

}  // namespace fabric::providers
