// SPDX-License-Identifier: Apache-2.0
// Path: where in the document the validator stands, kept on its stack and written out only for a
// message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/source.hpp"

namespace fabric::schema {

struct Path {
  const Path* parent = nullptr;  // null for the document itself
  std::string_view key;          // of a mapping's value
  std::size_t index = 0;         // of a list's item
  bool is_item = false;
  SourceRange key_range;         // of `key`; no place for items
  std::string_view description;  // what the schema says of the value
};

// "networks.storage.cables[0]", or "the document".
std::string to_text(const Path& path);

}  // namespace fabric::schema
