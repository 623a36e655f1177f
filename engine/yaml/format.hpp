// SPDX-License-Identifier: Apache-2.0
// The canonical form of a YAML text: two blanks for each level, one line's end and at most one
// blank line between things, one blank within and around what separates. Keys, comments, quotes,
// block scalars and the choice between brackets and lines stay as their author made them.
#pragma once

#include <optional>
#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"

namespace fabric::yaml {

struct Formatted {
  std::string text;
  // `text` was read again: it has the same values in the same order, the same comments, and is
  // its own canonical form. Where this is false, `text` is of no use, and that is a bug of ours.
  bool is_same = false;
};

// One document of `sources`. Nullopt if it has errors: those of parse(), and what has no canonical
// form, as a key over several lines, told as `yaml-syntax`. They go to `diagnostics`.
std::optional<Formatted> format(const SourceMap& sources, FileId file, Diagnostics& diagnostics);

}  // namespace fabric::yaml
