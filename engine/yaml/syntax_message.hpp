// SPDX-License-Identifier: Apache-2.0
// Explains yaml-cpp's terse syntax errors to the author of a document.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/yaml/tree_builder.hpp"

namespace fabric::yaml {

// The diagnostic for an error that yaml-cpp saw at `offset` of `text` while `builder` had read so
// far: a node set that brackets cut in two, an unclosed bracket or quote, a tab, or the general
// case. A cut node set is followed by those of later lines.
std::vector<Diagnostic> explain_syntax_error(
    FileId file,
    std::string_view text,
    std::uint32_t offset,
    std::string_view yaml_cpp_message,
    const TreeBuilder& builder);

}  // namespace fabric::yaml
