// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/key_index.hpp"

#include <functional>

namespace fabric::yaml {

namespace {

constexpr std::size_t kSlotsAtFirst = 64;

}  // namespace

// Where the key stands, or the free slot where it would. At least half of the slots are free.
std::size_t KeyIndex::slot_of(const std::vector<Entry>& entries, std::string_view key) const {
  std::size_t slot = std::hash<std::string_view>{}(key) % slots_.size();
  while (slots_[slot] != 0 && entries[slots_[slot] - 1].key != key)
    slot = (slot + 1) % slots_.size();
  return slot;
}

void KeyIndex::grow(const std::vector<Entry>& entries) {
  std::size_t size = slots_.empty() ? kSlotsAtFirst : slots_.size();
  while (size < 2 * (entries.size() + 1))
    size *= 2;
  if (size == slots_.size()) return;
  slots_.assign(size, 0);
  known_ = 0;
}

std::optional<std::size_t> KeyIndex::find(const std::vector<Entry>& entries, std::string_view key) {
  grow(entries);
  for (; known_ < entries.size(); ++known_) {
    const std::size_t slot = slot_of(entries, entries[known_].key);
    if (slots_[slot] == 0) slots_[slot] = static_cast<std::uint32_t>(known_ + 1);
  }
  const std::uint32_t found = slots_[slot_of(entries, key)];
  if (found == 0) return std::nullopt;
  return found - 1;
}

}  // namespace fabric::yaml
