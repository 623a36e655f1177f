// SPDX-License-Identifier: Apache-2.0
// Makes lists of values, and maps without empty members, from the program's types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/value/value.hpp"

namespace fabric {

template <class Items, class ToValue>
List to_list(const Items& items, ToValue to_value) {
  List list;
  list.reserve(items.size());
  for (const auto& item : items)
    list.emplace_back(to_value(item));
  return list;
}

// From texts and numbers, also with their place, names and addresses.
template <class Items>
List to_list(const Items& items) {
  return to_list(items, [](const auto& item) {
    if constexpr (requires { item.str(); }) {
      return Value{item.str()};
    } else if constexpr (requires { item.value; }) {
      return Value{item.value};
    } else {
      return Value{item};
    }
  });
}

// Adds the member unless the text is empty.
inline void put(Map& map, std::string_view key, const std::string& text) {
  if (!text.empty()) map.emplace(key, text);
}
inline void put(Map& map, std::string_view key, List list) {
  if (!list.empty()) map.emplace(key, std::move(list));
}
template <class T>
void put(Map& map, std::string_view key, const std::optional<T>& known) {
  if (known) map.emplace(key, *known);
}

}  // namespace fabric
