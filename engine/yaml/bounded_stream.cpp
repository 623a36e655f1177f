// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/bounded_stream.hpp"

#include <algorithm>
#include <array>

namespace fabric::yaml {

namespace {

constexpr std::size_t kPiece = 2048;  // what yaml-cpp asks for at once

constexpr std::array<bool, 256> kIsMark = [] {
  std::array<bool, 256> marks{};
  for (const char c : std::string_view{",[]{}:?&*!\"'|>%@"})
    marks[static_cast<unsigned char>(c)] = true;
  return marks;
}();

std::size_t count_marks(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return kIsMark[static_cast<unsigned char>(c)]; }));
}

}  // namespace

void BoundedStream::told(std::size_t offset) {
  const std::size_t until = std::min(offset, text_.size());
  if (until <= told_) return;
  marks_told_ += count_marks(text_.substr(told_, until - told_));
  told_ = until;
}

BoundedStream::int_type BoundedStream::underflow() {
  if (!exceeded_ && read_ < text_.size()) {
    const bool has_many_marks = marks_read_ > marks_told_ + marks_max_;
    is_too_long_ = !has_many_marks && read_ > told_ + bytes_max_;
    exceeded_ = has_many_marks || is_too_long_;
  }
  if (exceeded_ || read_ == text_.size()) return traits_type::eof();
  const std::string_view piece = text_.substr(read_, kPiece);
  marks_read_ += count_marks(piece);
  read_ += piece.size();
  // The get area is never written to.
  char* begin = const_cast<char*>(piece.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  setg(begin, begin, begin + piece.size());
  return traits_type::to_int_type(*begin);
}

}  // namespace fabric::yaml
