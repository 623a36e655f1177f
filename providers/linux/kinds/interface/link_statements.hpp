// SPDX-License-Identifier: Apache-2.0
// Statements for the adoption of one interface: each line of its files, and running values that no
// file has, with the value of the document for each.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/platform/facts.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/link/find_link.hpp"

namespace fabric::providers {

// REQUIRES: link.why is ""; backend.obstacle() is "". `entries` are foreign_entries().
// What runs comes last, and only where no file of ours is about the resource.
std::vector<Statement> link_statements(
    const Resource& resource,
    const FoundLink& link,
    const NetworkBackend& backend,
    const std::vector<ForeignEntry>& entries,
    const NodeFacts& facts);

// Running attributes that the kernel does not set by itself and the document does not name. They
// end when the interface is adopted, as they would at the next boot.
std::set<std::string> running_beyond(
    const Resource& resource,
    const FoundLink& link,
    const std::vector<ForeignEntry>& entries,
    const NodeFacts& facts);

}  // namespace fabric::providers
