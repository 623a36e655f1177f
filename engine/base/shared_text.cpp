// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shared_text.hpp"

namespace fabric {

SharedText TextPool::keep(const SharedText& text) {
  if (text.empty()) return {};
  const Sought sought{text};
  Part& part = part_of(sought);
  const std::lock_guard lock{part.mutex};
  return part.texts.insert({text, sought.hash}).first->text;
}

SharedText TextPool::keep_copy_of(std::string_view text) {
  const Sought sought{text};
  Part& part = part_of(sought);
  const std::lock_guard lock{part.mutex};
  const auto known = part.texts.find(sought);
  if (known != part.texts.end()) return known->text;
  return part.texts.insert({SharedText{text}, sought.hash}).first->text;
}

}  // namespace fabric
