// SPDX-License-Identifier: Apache-2.0
// KeyIndex: the entries of a large mapping by their keys, at some ten bytes an entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/yaml/node.hpp"

namespace fabric::yaml {

class KeyIndex {
 public:
  // The first entry with this key. REQUIRES: since the last call `entries` have at most grown.
  std::optional<std::size_t> find(const std::vector<Entry>& entries, std::string_view key);

 private:
  std::size_t slot_of(const std::vector<Entry>& entries, std::string_view key) const;
  void grow(const std::vector<Entry>& entries);

  std::vector<std::uint32_t> slots_;  // the number of an entry and 1; 0: free
  std::size_t known_ = 0;             // entries that are in here
};

}  // namespace fabric::yaml
