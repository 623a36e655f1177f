// SPDX-License-Identifier: Apache-2.0
// The canonical form of a YAML text: two blanks for each level, one line's end and at most one
// blank line between things, one blank within and around what separates. Keys, comments, quotes,
// block scalars and the choice between brackets and lines stay unchanged.
#pragma once

#include <optional>
#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"

namespace fabric::yaml {

struct Formatted {
  std::string text;
  // True if `text`, read again, has the same values in the same order, the same comments, and is
  // its own canonical form. If false, `text` is of no use, and that is a bug of fabric.
  bool is_same = false;
};

// Formats one document of `sources`. Nullopt if it has errors: those of parse(), and parts without
// a canonical form, as a key over several lines, reported as `yaml-syntax` in `diagnostics`.
std::optional<Formatted> format(const SourceMap& sources, FileId file, Diagnostics& diagnostics);

}  // namespace fabric::yaml
