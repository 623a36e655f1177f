// SPDX-License-Identifier: Apache-2.0
// Draws a graph in the DOT language.
#pragma once

#include <string>
#include <string_view>

namespace fabric::graphviz {

// SVG without a document type, which would name a web address. Equal texts give equal pictures with
// one version of Graphviz, independent of the fonts of this machine. Not thread-safe. REQUIRES:
// `dot` is well-formed, as engine/report/dot writes it.
std::string svg(std::string_view dot);

}  // namespace fabric::graphviz
