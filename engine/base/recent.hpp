// SPDX-License-Identifier: Apache-2.0
// The last few of many values.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace fabric {

// Machines of a few kinds alternate in a fabric: a text of one of them is searched for among the
// last texts of each kind. Until as many were added, the rest are empty.
template <class T>
class Recent {
 public:
  // Replaces the oldest value.
  void add(T value) { values_[next_++ % values_.size()] = std::move(value); }

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  static constexpr std::size_t kKinds = 4;
  std::array<T, kKinds> values_{};
  std::size_t next_ = 0;
};

}  // namespace fabric
