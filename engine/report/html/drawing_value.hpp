// SPDX-License-Identifier: Apache-2.0
// A drawing as JSON.
#pragma once

#include "engine/report/html/drawing.hpp"
#include "engine/value/value.hpp"

namespace fabric::report {

// Above so many nodes the page begins with groups.
inline constexpr std::size_t kMostNodesUngrouped = 200;

// {"kind", "title", "verdict", "text", "legend": [...], "nodes": [...], "cables": [...],
// "waves": [...], "tables": [...], "views": [...]}: of a view {"name", "boxes", "frames", "width",
// "height", "box_width"}, the first of them is shown first.
Map drawing_members(const Drawing& drawing);

// The same with every text, of keys too, as base/printable has it; the members of "text" keep their
// lines.
Value printable_value(Map members);

}  // namespace fabric::report
