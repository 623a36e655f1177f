// CopyOnWrite: a value that its copies share until one of them changes it. A subshell is a copy of
// its shell, and most subshells change little.
#pragma once

#include <memory>
#include <utility>

namespace fabric::lab::shell {

// Not for several threads at once.
template <class T>
class CopyOnWrite {
 public:
  CopyOnWrite() : CopyOnWrite(T{}) {}
  explicit CopyOnWrite(T value) : value_{std::make_shared<T>(std::move(value))} {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  // To change it; whoever shared it keeps it as it was.
  T& own() {
    if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace fabric::lab::shell
