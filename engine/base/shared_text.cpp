// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shared_text.hpp"

namespace fabric {

SharedText TextPool::keep(const SharedText& text) {
  if (text.empty()) return {};
  Part& part = parts_[Hash{}(text) % kParts];
  const std::lock_guard lock{part.mutex};
  return *part.texts.insert(text).first;
}

SharedText TextPool::keep_copy_of(std::string_view text) {
  Part& part = parts_[Hash{}(text) % kParts];
  const std::lock_guard lock{part.mutex};
  const auto known = part.texts.find(text);
  return known != part.texts.end() ? *known : *part.texts.emplace(text).first;
}

}  // namespace fabric
