// SPDX-License-Identifier: Apache-2.0
// BoundedStream: a text for yaml-cpp, which ends early if yaml-cpp takes in too much of it without
// telling of any of it. It tells of a bracketed collection only when it has seen all of it, and
// keeps some 250 bytes for each mark until then. Of a single value it keeps some twenty copies.
#pragma once

#include <cstddef>
#include <streambuf>
#include <string_view>

namespace fabric::yaml {

class BoundedStream final : public std::streambuf {
 public:
  // `text` must outlive the stream. Marks are the characters that can begin or end a token.
  BoundedStream(std::string_view text, std::size_t marks_max, std::size_t bytes_max)
      : text_{text}, marks_max_{marks_max}, bytes_max_{bytes_max} {}

  // What lies before `offset` has been told of.
  void told(std::size_t offset);
  // Whether the text was ended early, and whether that was for its length alone.
  bool exceeded() const { return exceeded_; }
  bool is_too_long() const { return is_too_long_; }

 protected:
  int_type underflow() override;

 private:
  std::string_view text_;
  std::size_t marks_max_;
  std::size_t bytes_max_;
  std::size_t read_ = 0;  // bytes handed out
  std::size_t marks_read_ = 0;
  std::size_t told_ = 0;
  std::size_t marks_told_ = 0;
  bool exceeded_ = false;
  bool is_too_long_ = false;
};

}  // namespace fabric::yaml
