// SPDX-License-Identifier: Apache-2.0
// The last few of what came by.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace fabric {

// Machines of a few kinds alternate in a fabric: what one of them said is looked for among what the
// last of each kind said. Until as many were added, the rest are empty.
template <class T>
class Recent {
 public:
  // In place of the oldest.
  void add(T value) { values_[next_++ % values_.size()] = std::move(value); }

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  static constexpr std::size_t kKinds = 4;
  std::array<T, kKinds> values_{};
  std::size_t next_ = 0;
};

}  // namespace fabric
