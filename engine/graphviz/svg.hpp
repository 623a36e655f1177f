// SPDX-License-Identifier: Apache-2.0
// A graph in the DOT language as a picture.
#pragma once

#include <string>
#include <string_view>

namespace fabric::graphviz {

// SVG without a document type, which would name a place in the web. Equal texts give equal pictures
// with one version of Graphviz; no font of this machine is measured. Not for several threads at
// once. REQUIRES: `dot` is well-formed, as engine/report/dot writes it.
std::string svg(std::string_view dot);

}  // namespace fabric::graphviz
