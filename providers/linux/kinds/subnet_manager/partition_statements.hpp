// SPDX-License-Identifier: Apache-2.0
// Statements of a foreign partitions.conf.
#pragma once

#include <string>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/provider/statements.hpp"

namespace fabric::providers {

// Of each partition that the document does not have one, else one for each member and flag.
std::vector<Statement> partition_statements(
    const Resource& resource, const std::string& path, const std::string& text);

}  // namespace fabric::providers
