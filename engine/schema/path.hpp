// SPDX-License-Identifier: Apache-2.0
// Path: the validator's place in the document, kept on its stack and written out only for a
// message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/source.hpp"

namespace fabric::schema {

struct Path {
  const Path* parent = nullptr;  // null for the document itself
  std::string_view key;          // key of a mapping's value
  std::size_t index = 0;         // index of a list's item
  bool is_item = false;
  SourceRange key_range;         // place of `key`; none for items
  std::string_view description;  // the schema's description of the value
};

// "networks.storage.cables[0]", or "the document".
std::string to_text(const Path& path);

}  // namespace fabric::schema
