// SPDX-License-Identifier: Apache-2.0
// A list of any length as JSON, written by all processors of the machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/parallel.hpp"
#include "engine/value/json_writer.hpp"

namespace fabric {

// The bytes are those of writing one item after the other; the text is in memory a part at a time.
// REQUIRES: `write_item` writes one value and may be called by several threads.
template <class Item>
void write_long_list(
    JsonWriter& out,
    std::string_view key,
    const std::vector<Item>& items,
    void (*write_item)(JsonWriter&, const Item&)) {
  constexpr std::size_t kItems = 16;   // of one piece
  constexpr std::size_t kPieces = 64;  // of one part
  out.key(key);
  out.begin_list();
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin < items.size(); begin += kItems * kPieces) {
    const std::size_t rest = items.size() - begin;
    pieces.resize(std::min(kPieces, (rest + kItems - 1) / kItems));
    for_each_index(pieces.size(), [&](std::size_t number) {
      pieces[number].clear();
      const std::size_t first = std::min(begin + number * kItems, items.size());
      const std::size_t last = std::min(first + kItems, items.size());
      JsonWriter piece = out.for_items([&](std::string_view text) { pieces[number] += text; });
      for (std::size_t index = first; index < last; ++index)
        write_item(piece, items[index]);
      piece.pass_on();
    });
    for (const std::string& piece : pieces)
      out.write_items(piece);
  }
  out.end_list();
}

}  // namespace fabric
