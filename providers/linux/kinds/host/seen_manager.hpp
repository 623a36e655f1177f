// SPDX-License-Identifier: Apache-2.0
// What the files of a subnet manager of ours say that a document could say.
#pragma once

#include <optional>
#include <string>

#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"
#include "providers/seen/seen_node.hpp"

namespace fabric::providers {

// `record` and `text`: of one of its files. Nullopt: it is not the file of its options.
std::optional<SeenManager> see_manager(
    const NodeFacts& facts, const Resource& record, const std::string& text);

}  // namespace fabric::providers
