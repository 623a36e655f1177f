// SPDX-License-Identifier: Apache-2.0
#include "engine/base/interned_text.hpp"

#include "engine/base/shared_text.hpp"

namespace fabric {

namespace {

const std::string* kept(std::string_view text) {
  // Never taken apart: what ends after main() may still hold some.
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  static TextPool& pool = *new TextPool;
  return &pool.keep_copy_of(text).str();
}

}  // namespace

InternedText::InternedText() {
  static const std::string* const none = kept("");
  text_ = none;
}

InternedText::InternedText(std::string_view text) : text_{kept(text)} {}

}  // namespace fabric
