// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/parse.hpp"

#include <algorithm>
#include <exception>
#include <istream>
#include <new>
#include <string>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "engine/base/limits.hpp"
#include "engine/yaml/bounded_stream.hpp"
#include "engine/yaml/encoding.hpp"
#include "engine/yaml/extent.hpp"
#include "engine/yaml/syntax_message.hpp"
#include "engine/yaml/tree_builder.hpp"

namespace fabric::yaml {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Of the 40 bytes for each byte of a text that reading it may take in all, and of the 16 MB that it
// may always take: the tree comes to most of them.
constexpr std::size_t kTreeBytesPerByte = 32;
constexpr std::size_t kTreeBytesFree = 12 * limits::kMebibyte;

// Held for each beginning of a text: yaml-cpp keeps some bytes for each value until it ends, so
// that a text which will be refused is not read on.
bool is_too_dense(const TreeBuilder& builder, std::size_t bytes_max) {
  return builder.bytes() >
         std::min(bytes_max, kTreeBytesPerByte * builder.cursor() + kTreeBytesFree);
}

// Leaves yaml-cpp in the middle of a document; it has no other way out.
class Stop final : public std::exception {};

// Hands yaml-cpp's events on. Its offsets don't count a byte order mark.
class Handler final : public YAML::EventHandler {
 public:
  Handler(
      TreeBuilder& builder,
      BoundedStream& stream,
      FileId file,
      std::uint32_t first_byte,
      std::size_t tree_bytes_max,
      Diagnostics& diagnostics)
      : builder_{builder},
        stream_{stream},
        file_{file},
        first_byte_{first_byte},
        tree_bytes_max_{tree_bytes_max},
        diagnostics_{diagnostics} {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ == 0) return;
    const std::uint32_t at = offset(mark);
    diagnostics_.error("yaml-syntax", {file_, at, at + 1}, "a second document starts here")
        .with_help("one file holds one document; put the other into a file of its own");
    throw Stop{};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // Only an anchored empty value begins with its own property.
    go_on(anchor == 0 ? builder_.null(offset(mark)) : builder_.scalar(offset(mark), ""));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    go_on(builder_.alias(offset(mark)));
  }
  void OnScalar(
      const YAML::Mark& mark,
      const std::string& /*tag*/,
      YAML::anchor_t /*anchor*/,
      const std::string& value) override {
    go_on(builder_.scalar(offset(mark), value));
  }
  void OnSequenceStart(
      const YAML::Mark& mark,
      const std::string& /*tag*/,
      YAML::anchor_t /*anchor*/,
      YAML::EmitterStyle::value /*style*/) override {
    go_on(builder_.open(Kind::sequence, offset(mark)));
  }
  void OnSequenceEnd() override { go_on(builder_.close()); }
  void OnMapStart(
      const YAML::Mark& mark,
      const std::string& /*tag*/,
      YAML::anchor_t /*anchor*/,
      YAML::EmitterStyle::value /*style*/) override {
    go_on(builder_.open(Kind::mapping, offset(mark)));
  }
  void OnMapEnd() override { go_on(builder_.close()); }

  bool at_second_document() const { return documents_ > 1; }
  std::uint32_t place_of(const YAML::Mark& mark) const {
    return first_byte_ + static_cast<std::uint32_t>(std::max(mark.pos, 0));
  }

 private:
  // Of an event: what lies before it has been told.
  std::uint32_t offset(const YAML::Mark& mark) {
    const std::uint32_t at = place_of(mark);
    stream_.told(at - first_byte_);
    return at;
  }
  void go_on(bool may_go_on) {
    if (!may_go_on) throw Stop{};
    if (stream_.exceeded() || !is_too_dense(builder_, tree_bytes_max_)) return;
    const std::uint32_t at = builder_.cursor();
    diagnostics_
        .error(
            "yaml-syntax",
            {file_, at, at},
            "up to here the file has more values than a text of this length may have: one in eight "
            "characters or so")
        .with_help(
            "divide it into several files, and describe what repeats by node sets or profiles");
    throw Stop{};
  }

  TreeBuilder& builder_;
  BoundedStream& stream_;
  FileId file_;
  std::uint32_t first_byte_;
  std::size_t tree_bytes_max_;
  Diagnostics& diagnostics_;
  int documents_ = 0;
};

bool same_finding(const Diagnostic& a, const Diagnostic& b) {
  return a.range == b.range && a.message == b.message;
}

void refuse_unbounded(
    FileId file,
    std::string_view text,
    const TreeBuilder& builder,
    bool is_too_long,
    Diagnostics& diagnostics) {
  const std::uint32_t begin = skip_space(text, builder.cursor());
  const std::uint32_t end = std::min(begin + 1, static_cast<std::uint32_t>(text.size()));
  if (is_too_long) {
    diagnostics
        .error(
            "yaml-syntax",
            {file, begin, end},
            fmt::format(
                "the value or comment that begins here has more than {} bytes",
                limits::kYamlBytesHeld))
        .with_help("no value of a document needs so many: shorten it");
    return;
  }
  diagnostics
      .error(
          "yaml-syntax",
          {file, begin, end},
          fmt::format(
              "what begins here is too long: more than {} brackets, commas, colons and quotes "
              "before its end",
              limits::kYamlMarksHeld))
      .with_help(
          "write a long list or mapping without brackets, each item and each key on a line of its "
          "own");
}

// Gives the events of `text` to `builder`. False if they end before the text does.
// REQUIRES: `text` is UTF-8 without control characters and within limits::kDocumentBytes.
bool read_events(
    FileId file,
    std::string_view text,
    std::size_t tree_bytes_max,
    TreeBuilder& builder,
    Diagnostics& diagnostics) {
  const bool marked = text.substr(0, kByteOrderMark.size()) == kByteOrderMark;
  const std::size_t first_byte = marked ? kByteOrderMark.size() : 0;
  BoundedStream buffer{text.substr(first_byte), limits::kYamlMarksHeld, limits::kYamlBytesHeld};
  Handler handler{
      builder, buffer, file, static_cast<std::uint32_t>(first_byte), tree_bytes_max, diagnostics};
  std::istream stream{&buffer};
  const std::size_t errors = diagnostics.count(Severity::error);
  bool complete = false;
  try {
    YAML::Parser parser{stream};
    while (parser.HandleNextDocument(handler)) {
    }
    complete = true;
  } catch (const Stop&) {
    // Reported where it was thrown. Before a second document the first one is complete.
    complete = handler.at_second_document();
  } catch (const YAML::Exception& failure) {
    if (!buffer.exceeded()) {
      for (Diagnostic& found :
           explain_syntax_error(file, text, handler.place_of(failure.mark), failure.msg, builder)) {
        const auto& seen = diagnostics.items();
        if (seen.empty() || !same_finding(seen.back(), found)) diagnostics.add(std::move(found));
      }
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    const std::uint32_t at = builder.cursor();
    diagnostics.error(
        "yaml-syntax", {file, at, at}, fmt::format("cannot be read: {}", failure.what()));
  }
  if (!buffer.exceeded()) return complete;
  // What is wrong with the part that was taken in says more than its length.
  if (diagnostics.count(Severity::error) == errors)
    refuse_unbounded(file, text, builder, buffer.is_too_long(), diagnostics);
  return false;
}

// Looks through a text whose tree would be large. False if it can't be read to its end, or if its
// tree would take more than is allowed: `tree_bytes_max`, and what 40 times the text and 16 MB
// leave.
bool may_be_kept(
    FileId file, std::string_view text, std::size_t tree_bytes_max, Diagnostics& diagnostics) {
  TreeBuilder builder{file, text, diagnostics, TreeBuilder::Keep::nothing};
  const std::size_t errors = diagnostics.count(Severity::error);
  return read_events(file, text, tree_bytes_max, builder, diagnostics) &&
         diagnostics.count(Severity::error) == errors;
}

Node nothing_read(FileId file) {
  Node root;
  root.range = {file, 0, 0};
  root.cut_short = true;
  return root;
}

}  // namespace

Node parse(
    const SourceMap& sources,
    FileId file,
    Diagnostics& diagnostics,
    std::size_t bytes_max,
    std::size_t tree_bytes_max) {
  const std::string& text = sources.text(file);
  if (text.size() > bytes_max) {
    diagnostics.error(
        "yaml-syntax",
        {file, 0, 0},
        fmt::format("the file has {} bytes, at most {} are read", text.size(), bytes_max));
    return nothing_read(file);
  }
  if (const auto bad = find_bad_bytes(text)) {
    diagnostics.error("yaml-syntax", {file, bad->begin, bad->end}, bad->message)
        .with_help("save the file as UTF-8 text");
    return nothing_read(file);
  }
  const bool large = text.size() > limits::kCheckedFirstBytes;
  if (large && !may_be_kept(file, text, tree_bytes_max, diagnostics)) return nothing_read(file);
  TreeBuilder builder{file, text, diagnostics, TreeBuilder::Keep::everything};
  const bool complete = read_events(file, text, tree_bytes_max, builder, diagnostics);
  Node root = std::move(builder).take();
  root.cut_short = !complete;
  if (!is_known(root.range)) root.range = {file, 0, 0};
  return root;
}

}  // namespace fabric::yaml
