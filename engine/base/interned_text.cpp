// SPDX-License-Identifier: Apache-2.0
#include "engine/base/interned_text.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <unordered_set>

namespace fabric {

namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

// Threads seldom meet in one of the parts. The texts of a set stay where they are when it grows.
struct Part {
  std::mutex mutex;
  std::unordered_set<std::string, Hash, std::equal_to<>> texts;
};

const std::string* kept(std::string_view text) {
  constexpr std::size_t kParts = 16;
  // Never taken apart: what ends after main() may still hold some.
  static auto& parts = *new std::array<Part, kParts>;
  Part& part = parts[Hash{}(text) % kParts];
  const std::lock_guard lock{part.mutex};
  const auto known = part.texts.find(text);
  return known != part.texts.end() ? &*known : &*part.texts.emplace(text).first;
}

}  // namespace

InternedText::InternedText() {
  static const std::string* const none = kept("");
  text_ = none;
}

InternedText::InternedText(std::string_view text) : text_{kept(text)} {}

}  // namespace fabric
