// SPDX-License-Identifier: Apache-2.0
// Writes a list of any length as JSON, on all processors of the machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/parallel.hpp"
#include "engine/value/json_writer.hpp"

namespace fabric {

// Writes the same bytes as one item after the other; only two parts of the text are in memory at a
// time. REQUIRES: `write_item` writes one value and may be called by several threads.
template <class Item>
void write_long_list(
    JsonWriter& out,
    std::string_view key,
    const std::vector<Item>& items,
    void (*write_item)(JsonWriter&, const Item&)) {
  constexpr std::size_t kItems = 16;   // items of one piece
  constexpr std::size_t kPieces = 64;  // pieces of one part
  out.key(key);
  out.begin_list();
  std::vector<std::string> made, ready;
  const auto make = [&](std::size_t begin, std::string& piece) {
    piece.clear();
    const std::size_t first = std::min(begin, items.size());
    const std::size_t last = std::min(first + kItems, items.size());
    JsonWriter writer = out.for_items([&](std::string_view text) { piece += text; });
    for (std::size_t index = first; index < last; ++index)
      write_item(writer, items[index]);
    writer.pass_on();
  };
  const auto write_ready = [&] {
    for (const std::string& piece : ready)
      out.write_items(piece);
  };
  for (std::size_t begin = 0; begin < items.size(); begin += kItems * kPieces) {
    const std::size_t rest = items.size() - begin;
    made.resize(std::min(kPieces, (rest + kItems - 1) / kItems));
    // One part is written out while the next one is made.
    for_each_index(made.size() + 1, [&](std::size_t task) {
      task == 0 ? write_ready() : make(begin + (task - 1) * kItems, made[task - 1]);
    });
    std::swap(made, ready);
  }
  write_ready();
  out.end_list();
}

}  // namespace fabric
