// SPDX-License-Identifier: Apache-2.0
// Shared<T>: a value that copies share until one of them is edited.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace fabric {

// The members of a node set have nearly all values in common: ten thousand of them cost the memory
// of one. The lab's subshells are copies of their shell with few changes. Several threads may read,
// make and drop copies; each copy is edited by one thread.
template <class T>
class Shared {
 public:
  Shared() : value_{empty()} {}
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the value
  Shared(T value) : value_{std::make_shared<T>(std::move(value))} {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  // The value to be changed: its own copy if others share it.
  T& edit() {
    if (value_.use_count() > 1) {
      value_ = std::make_shared<T>(*value_);
    } else {
      // All reads by another thread of a copy that it dropped have ended.
      std::atomic_thread_fence(std::memory_order_acquire);
    }
    return *value_;
  }

 private:
  static const std::shared_ptr<T>& empty() {
    static const std::shared_ptr<T> value = std::make_shared<T>();
    return value;
  }

  std::shared_ptr<T> value_;
};

}  // namespace fabric
