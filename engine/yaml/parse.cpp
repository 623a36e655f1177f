#include "engine/yaml/parse.hpp"

#include <algorithm>
#include <exception>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "engine/base/limits.hpp"
#include "engine/yaml/encoding.hpp"
#include "engine/yaml/syntax_message.hpp"
#include "engine/yaml/tree_builder.hpp"

namespace fabric::yaml {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Leaves yaml-cpp in the middle of a document; it has no other way out.
class Stop final : public std::exception {};

// Hands yaml-cpp's events on. Its offsets don't count a byte order mark.
class Handler final : public YAML::EventHandler {
 public:
  Handler(TreeBuilder& builder, FileId file, std::uint32_t first_byte, Diagnostics& diagnostics)
      : builder_{builder}, file_{file}, first_byte_{first_byte}, diagnostics_{diagnostics} {}

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
  std::uint32_t offset(const YAML::Mark& mark) const {
    return first_byte_ + static_cast<std::uint32_t>(std::max(mark.pos, 0));
  }

 private:
  static void go_on(bool may_go_on) {
    if (!may_go_on) throw Stop{};
  }

  TreeBuilder& builder_;
  FileId file_;
  std::uint32_t first_byte_;
  Diagnostics& diagnostics_;
  int documents_ = 0;
};

bool same_finding(const Diagnostic& a, const Diagnostic& b) {
  return a.range == b.range && a.message == b.message;
}

// REQUIRES: `text` is UTF-8 without control characters and within limits::kDocumentBytes.
Node read_events(FileId file, std::string_view text, Diagnostics& diagnostics) {
  TreeBuilder builder{file, text, diagnostics};
  const bool marked = text.substr(0, kByteOrderMark.size()) == kByteOrderMark;
  const std::size_t first_byte = marked ? kByteOrderMark.size() : 0;
  Handler handler{builder, file, static_cast<std::uint32_t>(first_byte), diagnostics};
  std::istringstream stream{std::string{text.substr(first_byte)}};
  bool cut_short = true;
  try {
    YAML::Parser parser{stream};
    while (parser.HandleNextDocument(handler)) {
    }
    cut_short = false;
  } catch (const Stop&) {
    // Reported where it was thrown. Before a second document the first one is complete.
    cut_short = !handler.at_second_document();
  } catch (const YAML::Exception& failure) {
    Diagnostic found =
        explain_syntax_error(file, text, handler.offset(failure.mark), failure.msg, builder);
    const auto& seen = diagnostics.items();
    if (seen.empty() || !same_finding(seen.back(), found)) diagnostics.add(std::move(found));
  } catch (const std::exception& failure) {
    const std::uint32_t at = builder.cursor();
    diagnostics.error(
        "yaml-syntax", {file, at, at}, fmt::format("cannot be read: {}", failure.what()));
  }
  Node root = std::move(builder).take();
  root.cut_short = cut_short;
  return root;
}

Node nothing_read(FileId file) {
  Node root;
  root.range = {file, 0, 0};
  root.cut_short = true;
  return root;
}

}  // namespace

Node parse(const SourceMap& sources, FileId file, Diagnostics& diagnostics) {
  const std::string& text = sources.text(file);
  if (text.size() > limits::kDocumentBytes) {
    diagnostics.error(
        "yaml-syntax",
        {file, 0, 0},
        fmt::format(
            "the file has {} bytes, at most {} are read", text.size(), limits::kDocumentBytes));
    return nothing_read(file);
  }
  if (const auto bad = find_bad_bytes(text)) {
    diagnostics.error("yaml-syntax", {file, bad->begin, bad->end}, bad->message)
        .with_help("save the file as UTF-8 text");
    return nothing_read(file);
  }
  Node root = read_events(file, text, diagnostics);
  if (!is_known(root.range)) root.range = {file, 0, 0};
  return root;
}

}  // namespace fabric::yaml
