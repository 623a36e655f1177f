// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/tree_builder.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/yaml/extent.hpp"

namespace fabric::yaml {

namespace {

constexpr std::size_t kSlotsAtFirst = 64;

// Below this many keys a scan is quicker than an index.
constexpr std::size_t kIndexFrom = 16;

bool is_quote(char c) {
  return c == '\'' || c == '"' || c == '|' || c == '>';
}

}  // namespace

// The slot of the key, or the free slot for it. At least half of the slots are free.
std::size_t KeyIndex::slot_of(const std::vector<Entry>& entries, std::string_view key) const {
  std::size_t slot = std::hash<std::string_view>{}(key) % slots_.size();
  while (slots_[slot] != 0 && entries[slots_[slot] - 1].key != key)
    slot = (slot + 1) % slots_.size();
  return slot;
}

void KeyIndex::grow(const std::vector<Entry>& entries) {
  std::size_t size = slots_.empty() ? kSlotsAtFirst : slots_.size();
  while (size < 2 * (entries.size() + 1))
    size *= 2;
  if (size == slots_.size()) return;
  slots_.assign(size, 0);
  known_ = 0;
}

std::optional<std::size_t> KeyIndex::find(const std::vector<Entry>& entries, std::string_view key) {
  grow(entries);
  for (; known_ < entries.size(); ++known_) {
    const std::size_t slot = slot_of(entries, entries[known_].key);
    if (slots_[slot] == 0) slots_[slot] = static_cast<std::uint32_t>(known_ + 1);
  }
  const std::uint32_t found = slots_[slot_of(entries, key)];
  if (found == 0) return std::nullopt;
  return found - 1;
}

bool TreeBuilder::wants_key() const {
  return !stack_.empty() && stack_.back().node.kind == Kind::mapping && !stack_.back().has_key;
}

// Tags and anchors are refused, and what they stand before is read on.
std::uint32_t TreeBuilder::content_begin(std::uint32_t begin) {
  const std::uint32_t content = skip_properties(text_, begin);
  if (content != begin) {
    const bool anchor = text_[begin] == '&';
    const SourceRange place = range(begin, word_end(text_, begin));
    diagnostics_
        .error("yaml-syntax", place, fmt::format("{} are not allowed", anchor ? "anchors" : "tags"))
        .with_help(
            anchor ? "put settings that nodes share into `defaults` or `profiles`; quote a text "
                     "that starts with '&'"
                   : "remove it; quote a text that starts with '!'");
  }
  return content;
}

SourceRange TreeBuilder::empty_value_range() const {
  if (stack_.empty()) return range(0, 0);
  const Frame& frame = stack_.back();
  if (frame.node.kind == Kind::mapping) {
    const std::uint32_t end = frame.entry.key_range.end;
    return range(end, end);
  }
  const std::uint32_t dash = skip_space(text_, std::max(cursor_, frame.node.range.begin));
  const bool found = dash < text_.size() && text_[dash] == '-' && !frame.brackets;
  return found ? range(dash, dash + 1) : range(cursor_, cursor_);
}

bool TreeBuilder::null(std::uint32_t begin) {
  Node node;
  const bool key = wants_key();
  const std::uint32_t end = null_word_end(text_, begin);
  if ((key && end > begin) || (!key && is_written_null(text_, begin))) {
    node.range = range(begin, end);
    cursor_ = end;
  } else if (key) {
    node.range = range(begin, std::min(begin + 1, static_cast<std::uint32_t>(text_.size())));
  } else {
    node.range = empty_value_range();
    cursor_ = std::max(cursor_, node.range.end);
  }
  return attach(std::move(node));
}

bool TreeBuilder::alias(std::uint32_t begin) {
  Node node;
  node.range = range(begin, word_end(text_, begin));
  cursor_ = node.range.end;
  diagnostics_.error("yaml-syntax", node.range, "aliases are not allowed")
      .with_help(
          "put settings that nodes share into `defaults` or `profiles`; quote a text that starts "
          "with '*'");
  return attach(std::move(node));
}

// YAML lets tabs stand in indentation only where it doesn't count; yaml-cpp lets some more pass.
void TreeBuilder::refuse_tab(std::uint32_t begin) {
  const bool in_brackets =
      std::any_of(stack_.begin(), stack_.end(), [](const Frame& frame) { return frame.brackets; });
  if (in_brackets) return;
  const std::size_t tab = tab_in_indentation(text_, begin);
  if (tab == std::string_view::npos) return;
  const auto place = static_cast<std::uint32_t>(tab);
  diagnostics_.error("yaml-syntax", range(place, place + 1), std::string{kTabMessage})
      .with_help("use spaces");
}

// yaml-cpp takes the end of the file for the end of a quote.
void TreeBuilder::refuse_open_quote(std::uint32_t begin) {
  const bool quote = begin < text_.size() && (text_[begin] == '\'' || text_[begin] == '"');
  if (!quote || quoted_end(text_, begin)) return;
  diagnostics_.error("yaml-syntax", range(begin, begin + 1), std::string{kOpenQuoteMessage});
}

bool TreeBuilder::scalar(std::uint32_t begin, std::string_view value) {
  refuse_tab(begin);
  Node node;
  node.kind = Kind::scalar;
  const std::uint32_t content = content_begin(begin);
  node.range = range(content, scalar_end(text_, content, value));
  node.quoted = content < node.range.end && is_quote(text_[content]);
  refuse_open_quote(content);
  node.text = std::string{value};
  cursor_ = node.range.end;
  return attach(std::move(node));
}

bool TreeBuilder::open(Kind kind, std::uint32_t begin) {
  refuse_tab(begin);
  const std::uint32_t content = content_begin(begin);
  if (stack_.size() >= static_cast<std::size_t>(limits::kNestingDepth)) {
    diagnostics_.error(
        "yaml-syntax",
        range(content, content + 1),
        fmt::format("nested deeper than {} levels", limits::kNestingDepth));
    return false;
  }
  Frame frame;
  frame.stands_for_key = wants_key();
  frame.node.kind = kind;
  frame.node.range = range(content, content);
  const char first = content < text_.size() ? text_[content] : ' ';
  // `[a: b]` opens a mapping without brackets at its key.
  frame.brackets = first == (kind == Kind::mapping ? '{' : '[');
  cursor_ = frame.brackets ? content + 1 : content;
  stack_.push_back(std::move(frame));
  return true;
}

void TreeBuilder::refuse_collection_as_key(const Node& node) {
  if (stopped_) return;  // how it would have gone on is not known
  const std::string_view kind = node.kind == Kind::mapping ? "mapping" : "list";
  diagnostics_.error("yaml-syntax", node.range, fmt::format("a {} cannot be a key", kind))
      .with_help("quote it if it is meant as a text");
}

bool TreeBuilder::close() {
  Frame frame = std::move(stack_.back());
  stack_.pop_back();
  if (frame.brackets) cursor_ = flow_collection_end(text_, cursor_);
  frame.node.range.end = std::max(cursor_, frame.node.range.begin);
  // Most of a tree is small lists: half of what they have grown to would lie idle.
  frame.node.items.shrink_to_fit();
  frame.node.entries.shrink_to_fit();
  if (!frame.stands_for_key) return attach(std::move(frame.node));
  refuse_collection_as_key(frame.node);
  Frame& parent = stack_.back();
  parent.has_key = true;
  parent.drop_value = true;
  parent.entry = Entry{{}, frame.node.range, false, {}};
  return true;
}

bool TreeBuilder::too_many_problems(const Node& node) {
  if (diagnostics_.items().size() - problems_before_ < limits::kSyntaxErrors) return false;
  diagnostics_
      .error(
          "yaml-syntax",
          node.range,
          fmt::format("this is the {}th problem of this file", limits::kSyntaxErrors))
      .with_help("correct those first; the rest of the file was not read");
  return true;
}

// Adds the size of a node in the tree.
void TreeBuilder::account(Frame& frame, const Node& node) {
  const bool value = frame.node.kind == Kind::sequence || frame.has_key;
  const std::size_t member = frame.node.kind == Kind::sequence ? sizeof(Node) : sizeof(Entry);
  // Short texts lie within their strings.
  const std::size_t text = node.text.size() < sizeof(std::string) / 2 ? 0 : node.text.size();
  bytes_ += text;
  if (!value) return;
  bytes_ += member;
  bytes_of_largest_ = std::max(bytes_of_largest_, ++frame.members * member);
}

bool TreeBuilder::attach(Node node) {
  if (too_many_problems(node)) return false;
  if (stack_.empty()) {
    root_ = std::move(node);
    return true;
  }
  Frame& frame = stack_.back();
  account(frame, node);
  if (frame.node.kind == Kind::sequence) {
    if (keep_ == Keep::everything) frame.node.items.push_back(std::move(node));
  } else if (!frame.has_key) {
    take_key(frame, node);
  } else {
    take_value(frame, std::move(node));
  }
  return true;
}

void TreeBuilder::take_key(Frame& frame, const Node& node) {
  frame.has_key = true;
  frame.drop_value = true;
  frame.entry = Entry{node.text, node.range, node.quoted, {}};
  if (!node.is_scalar()) {
    const std::string_view text = text_.substr(node.range.begin, node.range.end - node.range.begin);
    if (!text.empty() && text.front() == '*') return;  // an alias, already refused
    const bool missing = text.empty() || text.front() == ':' || text.front() == '?';
    diagnostics_
        .error(
            "yaml-syntax",
            node.range,
            missing ? "a key is missing here" : fmt::format("'{}' cannot be a key", text))
        .with_help(missing ? "" : "quote it if it is meant as a text");
  } else if (node.text == "<<" && !node.quoted) {
    diagnostics_.error("yaml-syntax", node.range, "merge keys (<<) are not allowed")
        .with_help("put settings that nodes share into `defaults` or `profiles`");
  } else {
    frame.drop_value = refuse_duplicate(frame);
  }
}

std::optional<std::size_t> TreeBuilder::find_key(Frame& frame) const {
  const std::vector<Entry>& entries = frame.node.entries;
  if (entries.size() < kIndexFrom) {
    const Entry* found = frame.node.find_entry(frame.entry.key);
    if (found == nullptr) return std::nullopt;
    return static_cast<std::size_t>(found - entries.data());
  }
  return frame.index.find(entries, frame.entry.key);
}

bool TreeBuilder::refuse_duplicate(Frame& frame) {
  const std::optional<std::size_t> first = find_key(frame);
  if (!first) return false;
  diagnostics_
      .error(
          "duplicate-key",
          frame.entry.key_range,
          fmt::format("key '{}' stands twice in one mapping", frame.entry.key))
      .with_help("remove one of the two")
      .with_note(frame.node.entries[*first].key_range, "first written here");
  return true;
}

void TreeBuilder::take_value(Frame& frame, Node node) {
  frame.has_key = false;
  if (frame.drop_value || keep_ == Keep::nothing) return;
  frame.entry.value = std::move(node);
  frame.node.entries.push_back(std::move(frame.entry));
}

std::vector<std::uint32_t> TreeBuilder::open_brackets() const {
  std::vector<std::uint32_t> begins;
  for (const Frame& frame : stack_) {
    if (frame.brackets) begins.push_back(frame.node.range.begin);
  }
  return begins;
}

Node TreeBuilder::take() && {
  stopped_ = true;
  while (!stack_.empty()) {
    Frame& frame = stack_.back();
    if (frame.has_key && !frame.drop_value) {
      const std::uint32_t end = frame.entry.key_range.end;
      Node empty;
      empty.range = range(end, end);
      take_value(frame, std::move(empty));
    }
    close();
  }
  return std::move(root_);
}

}  // namespace fabric::yaml
