// SPDX-License-Identifier: Apache-2.0
// Secret: a password or passphrase. It has no formatter, no comparison and no conversion, so it
// can't reach a plan, a journal or a log by accident; reveal() is searched for in review.
#pragma once

#include <string>
#include <utility>

namespace fabric {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_{std::move(text)} {}
  ~Secret() { wipe(); }
  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  Secret(Secret&& other) noexcept : text_{std::move(other.text_)} { other.wipe(); }
  Secret& operator=(Secret&& other) noexcept {
    std::swap(text_, other.text_);
    return *this;
  }

  bool empty() const { return text_.empty(); }
  // To be called only where the secret is passed to the library that needs it.
  const std::string& reveal() const { return text_; }

 private:
  // Up to the capacity: a move leaves the bytes of a short text behind in the string it came from.
  void wipe() noexcept {
    text_.resize(text_.capacity());
    volatile char* bytes = text_.data();
    for (std::size_t i = 0; i < text_.size(); ++i)
      bytes[i] = 0;
    text_.clear();
  }
  std::string text_;
};

}  // namespace fabric
