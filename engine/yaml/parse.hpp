// SPDX-License-Identifier: Apache-2.0
// Parses YAML text to a Node. yaml-cpp is an implementation detail of parse.cpp, and only its event
// interface is used: its Node API accepts duplicate keys and types scalars as YAML 1.1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/diagnostic.hpp"
#include "engine/base/limits.hpp"
#include "engine/base/source.hpp"
#include "engine/yaml/node.hpp"

namespace fabric::yaml {

// Parses one document of `sources`. Problems go to `diagnostics` as `yaml-syntax` or
// `duplicate-key` (with both places); after an error the tree has all that could be read, and
// `cut_short` if reading could not go on: then a key may be missing only because it was not
// reached. Aliases, anchors, tags, merge keys (<<), tabs in indentation, more than one document,
// and nesting or size beyond base/limits are errors. A text of more than limits::kCheckedFirstBytes
// that cannot be read to its end, or whose tree would take more than `tree_bytes_max`, gives no
// tree: it was checked before any of it was kept.
Node parse(
    const SourceMap& sources,
    FileId file,
    Diagnostics& diagnostics,
    std::size_t bytes_max = limits::kDocumentBytes,
    std::size_t tree_bytes_max = SIZE_MAX);

}  // namespace fabric::yaml
