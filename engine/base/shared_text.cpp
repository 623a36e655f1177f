// SPDX-License-Identifier: Apache-2.0
#include "engine/base/shared_text.hpp"

namespace fabric {

SharedText TextPool::keep(const SharedText& text) {
  if (text.empty()) return {};
  Part& part = parts_[Hash{}(text) % kParts];
  const std::lock_guard lock{part.mutex};
  return *part.texts.insert(text).first;
}

}  // namespace fabric
