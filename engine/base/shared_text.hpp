// SPDX-License-Identifier: Apache-2.0
// A text that many objects hold and none changes: equal machines answer with the same text, which
// is kept once and parsed once.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace fabric {

// Behaves as a `const std::string` that is cheap to copy. Any thread may use any copy.
class SharedText {
 public:
  SharedText() : body_{empty_body()} {}
  // NOLINTBEGIN(google-explicit-constructor): a text must be usable where a SharedText is wanted.
  SharedText(std::string text) : body_{std::make_shared<const Body>(std::move(text))} {}
  SharedText(std::string_view text) : SharedText{std::string{text}} {}
  SharedText(const char* text) : SharedText{std::string{text}} {}
  operator const std::string&() const { return body_->text; }
  operator std::string_view() const { return body_->text; }
  // NOLINTEND(google-explicit-constructor)

  const std::string& str() const { return body_->text; }
  bool empty() const { return body_->text.empty(); }
  std::size_t size() const { return body_->text.size(); }

  // The result of `parse` for the text, made once for all that hold the text. The reference is
  // valid as long as one of them holds it. REQUIRES: `parse` is a pure function.
  template <class T>
  const T& parsed(T (*parse)(std::string_view)) const {
    using Erased = void (*)();
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): told apart by it, never called.
    const auto key = reinterpret_cast<Erased>(parse);
    const std::lock_guard lock{body_->mutex};
    for (const auto& [by, made] : body_->made) {
      if (by == key) return *static_cast<const T*>(made.get());
    }
    const auto made = std::make_shared<const T>(parse(body_->text));
    body_->made.emplace_back(key, made);
    return *made;
  }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.body_ == b.body_ || a.str() == b.str();
  }
  friend bool operator==(const SharedText& a, std::string_view b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }
  friend std::ostream& operator<<(std::ostream& stream, const SharedText& text) {
    return stream << text.str();
  }

 private:
  struct Body {
    explicit Body(std::string is) : text{std::move(is)} {}
    std::string text;
    // The results of `parsed`, by function.
    mutable std::mutex mutex{};
    mutable std::vector<std::pair<void (*)(), std::shared_ptr<const void>>> made{};
  };

  static const std::shared_ptr<const Body>& empty_body() {
    static const std::shared_ptr<const Body> empty = std::make_shared<const Body>(std::string{});
    return empty;
  }

  std::shared_ptr<const Body> body_;
};

// Keeps equal texts once. Any thread may use it.
class TextPool {
 public:
  // The pool's text with this content, or this one from now on.
  SharedText keep(const SharedText& text);
  // As keep(), for a text elsewhere, which is copied only if the pool lacks it.
  SharedText keep_copy_of(std::string_view text);

 private:
  // Texts are long: each is hashed once.
  struct Sought {
    std::string_view text;
    std::size_t hash = std::hash<std::string_view>{}(text);
  };
  struct Kept {
    SharedText text;
    std::size_t hash = 0;
    operator Sought() const { return {text, hash}; }  // NOLINT(google-explicit-constructor)
  };
  struct Hash {
    // NOLINTNEXTLINE(readability-identifier-naming): the name that std::map requires
    using is_transparent = void;
    std::size_t operator()(const Sought& text) const { return text.hash; }
  };
  struct Equal {
    // NOLINTNEXTLINE(readability-identifier-naming): the name that maps ask for
    using is_transparent = void;
    bool operator()(const Sought& a, const Sought& b) const {
      return a.hash == b.hash && a.text == b.text;
    }
  };
  // Threads seldom meet in one of the parts.
  struct Part {
    std::mutex mutex;
    std::unordered_set<Kept, Hash, Equal> texts;
  };
  Part& part_of(const Sought& text) { return parts_.at(text.hash % kParts); }

  static constexpr std::size_t kParts = 16;
  std::array<Part, kParts> parts_;
};

}  // namespace fabric
