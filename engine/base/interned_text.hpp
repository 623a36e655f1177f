// SPDX-License-Identifier: Apache-2.0
// A text of which there are few, each held many times: names of nodes, of kinds, of resources and
// attributes. Each is kept once, until the program ends.
#pragma once

#include <compare>
#include <concepts>
#include <ostream>
#include <string>
#include <string_view>

namespace fabric {

// Behaves as a `const std::string` of the size of a pointer, copied and compared for equality like
// one. Sorted by text. Any thread may make one. Not for texts without limit, as outputs and
// messages: nothing is ever freed.
class InternedText {
 public:
  InternedText();
  // NOLINTBEGIN(google-explicit-constructor): a text must be usable where an InternedText is
  // wanted.
  InternedText(std::string_view text);
  InternedText(const std::string& text) : InternedText{std::string_view{text}} {}
  InternedText(const char* text) : InternedText{std::string_view{text}} {}
  operator const std::string&() const { return *text_; }
  operator std::string_view() const { return *text_; }
  // NOLINTEND(google-explicit-constructor)

  // Valid until the program ends.
  const std::string& str() const { return *text_; }
  bool empty() const { return text_->empty(); }
  std::size_t size() const { return text_->size(); }
  bool starts_with(std::string_view beginning) const { return text_->starts_with(beginning); }
  bool ends_with(std::string_view end) const { return text_->ends_with(end); }

  friend bool operator==(InternedText a, InternedText b) { return a.text_ == b.text_; }
  friend std::strong_ordering operator<=>(InternedText a, InternedText b) {
    return a.text_ == b.text_ ? std::strong_ordering::equal : *a.text_ <=> *b.text_;
  }
  // Compares with any other text, which is not kept.
  template <std::convertible_to<std::string_view> T>
  requires(!std::same_as<T, InternedText>) friend bool operator==(InternedText a, const T& b) {
    return *a.text_ == std::string_view{b};
  }
  template <std::convertible_to<std::string_view> T>
  requires(!std::same_as<T, InternedText>) friend std::strong_ordering operator<=>(
      InternedText a, const T& b) {
    return std::string_view{*a.text_} <=> std::string_view{b};
  }
  friend std::string operator+(std::string_view a, InternedText b) {
    return std::string{a} += *b.text_;
  }
  friend std::string operator+(InternedText a, std::string_view b) {
    return std::string{*a.text_} += b;
  }
  friend std::ostream& operator<<(std::ostream& stream, InternedText text) {
    return stream << *text.text_;
  }

 private:
  const std::string* text_;
};

}  // namespace fabric
