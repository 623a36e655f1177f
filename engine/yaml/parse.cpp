// SPDX-License-Identifier: Apache-2.0
#include "engine/yaml/parse.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <istream>
#include <new>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "engine/yaml/extent.hpp"
#include "engine/yaml/tree_builder.hpp"

namespace fabric::yaml {
namespace {

constexpr std::string_view kRule = "yaml-syntax";

struct Meaning {
  std::string_view yaml_cpp;  // how its message begins
  std::string_view message;
  std::string_view help;
};

constexpr std::array kMeanings{
    Meaning{
        "illegal map value",
        "a ':' cannot stand here",
        "quote a text that holds ': ', and check the indentation of this line and the one above"},
    Meaning{
        "end of map not found",
        "unexpected text in a mapping",
        "keys of one mapping start in one column; quote a text that brackets or quotes are part "
        "of"},
    Meaning{
        "end of sequence not found",
        "unexpected text in a list",
        "items of one list start with '- ' in one column"},
    Meaning{"end of map flow not found", "',' or '}' expected", ""},
    Meaning{"end of sequence flow not found", "',' or ']' expected", ""},
    Meaning{"illegal flow end", "a closing bracket without an opening one", ""},
    Meaning{
        "illegal block entry",
        "a list item cannot start here",
        "start the list on a line of its own; quote a text that starts with '- '"},
    Meaning{"illegal map key", "a key cannot start here", "quote a text that starts with '? '"},
    Meaning{"unknown token", "a plain text cannot start with this character", "quote it"},
    Meaning{"illegal EOF in scalar", kOpenQuoteMessage, ""},
    Meaning{"illegal document indicator in scalar", "'---' or '...' within quotes", ""},
    Meaning{"illegal tab when looking for indentation", kTabMessage, "use spaces"},
    Meaning{
        "unknown escape character",
        "unknown escape in double quotes",
        "use single quotes where a backslash is meant as such"},
    Meaning{
        "bad character found while scanning hex number",
        "an escape has wrong hexadecimal digits",
        "use single quotes where a backslash is meant as such"},
    Meaning{"invalid unicode", "an escape is no Unicode character", ""},
    Meaning{"alias not found", "aliases are not allowed", "quote a text that starts with '*'"},
    Meaning{
        "the referenced anchor is not defined",
        "aliases are not allowed",
        "put settings that nodes share into `defaults` or `profiles`; quote a text that starts "
        "with '*'"},
    Meaning{
        "illegal character found while scanning alias",
        "aliases are not allowed",
        "quote a text that starts with '*'"},
    Meaning{"anchor not found", "anchors are not allowed", "quote a text that starts with '&'"},
    Meaning{
        "illegal character found while scanning anchor",
        "anchors are not allowed",
        "quote a text that starts with '&'"},
};

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

SourceRange one_character(FileId file, std::string_view text, std::uint32_t offset) {
  const auto size = static_cast<std::uint32_t>(text.size());
  const std::uint32_t begin = std::min(offset, size);
  return {file, begin, std::min(begin + 1, size)};
}

// The plain text around `bracket`, which brackets were meant to be part of: `c[1-4]/1`.
SourceRange cut_text(FileId file, std::string_view text, std::uint32_t bracket) {
  std::uint32_t begin = bracket;
  while (begin > 0 && !is_one_of(text[begin - 1], " \t\r\n,[]{}"))
    --begin;
  std::uint32_t end = bracket;
  int depth = 0;
  for (; end < text.size() && !is_one_of(text[end], "\r\n"); ++end) {
    const char c = text[end];
    if (is_one_of(c, "[{")) ++depth;
    if (is_one_of(c, "]}") && --depth < 0) break;
    const bool key_ends = c == ':' && (end + 1 == text.size() || is_one_of(text[end + 1], " \r\n"));
    if (depth == 0 && (is_one_of(c, " \t,") || key_ends)) break;
  }
  return {file, begin, end};
}

Diagnostic must_be_quoted(const SourceRange& range, std::string_view text) {
  const std::string_view cut = text.substr(range.begin, range.end - range.begin);
  return {
      Severity::error,
      std::string{kRule},
      range,
      fmt::format("'{}' must be quoted: within {{}} or [] a bracket ends a plain text", cut),
      fmt::format("write \"{}\"", cut),
      {}};
}

// `[1-4]`, `[01,07-09]`: what else begins with a bracket may be meant so.
bool is_set_at(std::string_view text, std::uint32_t bracket) {
  const std::size_t end = text.find_first_not_of("0123456789abcdef,-", bracket + 1);
  return text[bracket] == '[' && end != std::string_view::npos && end > bracket + 1 &&
         text[end] == ']';
}

// Node sets without quotes behind the first one, by a scan of the lines: nothing behind a syntax
// error is read, and an author who forgot the quotes once forgot them in other lines too.
void add_later_sets(
    FileId file,
    std::string_view text,
    std::uint32_t from,
    std::size_t depth,
    std::vector<Diagnostic>& found) {
  char quote = '\0';
  for (std::uint32_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    const char before = text[i - 1];
    if (quote != '\0') {
      if (c == quote && (quote == '\'' || before != '\\')) quote = '\0';
      continue;
    }
    if (c == '#' && is_one_of(before, " \t\r\n")) {
      i = static_cast<std::uint32_t>(std::min(text.find('\n', i), text.size()));
    } else if (is_one_of(c, "'\"") && is_one_of(before, " \t\r\n,[]{}:")) {
      quote = c;
    } else if (is_one_of(c, "]}")) {
      depth -= depth > 0 ? 1U : 0U;
    } else if (is_one_of(c, "[{")) {
      const bool cuts = depth > 0 && !is_one_of(before, " \t\r\n,[]{}:\"'");
      if (cuts && is_set_at(text, i)) {
        const SourceRange range = cut_text(file, text, i);
        found.push_back(must_be_quoted(range, text));
        i = range.end - 1;
      } else {
        ++depth;
      }
    }
  }
}

// `{a: c[1-4]}`: within brackets a plain text ends where the next bracket begins.
std::optional<Diagnostic> explain_cut_text(
    FileId file, std::string_view text, std::uint32_t offset, const TreeBuilder& builder) {
  if (builder.open_brackets().empty()) return std::nullopt;
  if (offset == 0 || offset >= text.size() || !is_one_of(text[offset], "[{")) return std::nullopt;
  if (is_one_of(text[offset - 1], " \t\r\n,[]{}:\"'")) return std::nullopt;
  return must_be_quoted(cut_text(file, text, offset), text);
}

const Meaning* find_meaning(std::string_view message) {
  const auto found = std::ranges::find_if(
      kMeanings, [&](const Meaning& meaning) { return starts_with(message, meaning.yaml_cpp); });
  return found == kMeanings.end() ? nullptr : &*found;
}

// Better places than the one where yaml-cpp gave up.
void move_to_cause(
    Diagnostic& diagnostic,
    std::string_view yaml_cpp_words,
    std::string_view text,
    const TreeBuilder& builder) {
  const FileId file = diagnostic.range.file;
  const std::vector<std::uint32_t> brackets = builder.open_brackets();
  if (yaml_cpp_words.find("flow not found") != std::string_view::npos && !brackets.empty()) {
    diagnostic.with_note(one_character(file, text, brackets.back()), "opened here");
  }
  std::size_t place = std::string_view::npos;
  if (starts_with(yaml_cpp_words, "illegal EOF")) {
    place = text.find_first_of("'\"", builder.cursor());
  } else if (starts_with(yaml_cpp_words, "unknown escape")) {
    place = text.substr(0, diagnostic.range.begin).rfind('\\');
  }
  if (place == std::string_view::npos) return;
  diagnostic.range = one_character(file, text, static_cast<std::uint32_t>(place));
}

// The diagnostic for an error that yaml-cpp saw at `offset` of `text` while `builder` had read so
// far: a node set that brackets cut in two, an unclosed bracket or quote, a tab, or the general
// case. A cut node set is followed by those of later lines.
std::vector<Diagnostic> explain_syntax_error(
    FileId file,
    std::string_view text,
    std::uint32_t offset,
    std::string_view yaml_cpp_words,
    const TreeBuilder& builder) {
  if (auto cut = explain_cut_text(file, text, offset, builder)) {
    const std::uint32_t end = cut->range.end;
    std::vector<Diagnostic> found{*std::move(cut)};
    add_later_sets(file, text, end, builder.open_brackets().size(), found);
    return found;
  }
  const std::size_t tab = tab_in_indentation(text, offset);
  if (tab != std::string_view::npos && builder.open_brackets().empty()) {
    const SourceRange place = one_character(file, text, static_cast<std::uint32_t>(tab));
    return {Diagnostic{
        Severity::error, std::string{kRule}, place, std::string{kTabMessage}, "use spaces", {}}};
  }
  const Meaning* meaning = find_meaning(yaml_cpp_words);
  Diagnostic diagnostic{
      Severity::error,
      std::string{kRule},
      one_character(file, text, offset),
      std::string{meaning == nullptr ? yaml_cpp_words : meaning->message},
      std::string{meaning == nullptr ? "" : meaning->help},
      {}};
  move_to_cause(diagnostic, yaml_cpp_words, text, builder);
  return {std::move(diagnostic)};
}

// Checks for bytes that no YAML text has: it is UTF-8 without control characters. Done before
// yaml-cpp sees any, because it guesses other encodings and takes byte 4 for the end of the file.

struct BadBytes {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string message;
};

std::uint32_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool is_control(std::uint32_t byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
}

// The length of the UTF-8 sequence that begins here, 0 if it is none: overlong forms, surrogates
// and what lies beyond U+10FFFF are none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const std::uint32_t lead = byte_at(text, at);
  std::size_t length = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xc0U) != 0x80) return 0;
  }
  const std::uint32_t second = byte_at(text, at + 1);
  const bool wrong = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                     (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return wrong ? 0 : length;
}

// The first bytes that are no UTF-8 or no printable character, or nullopt.
std::optional<BadBytes> find_bad_bytes(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const auto place = static_cast<std::uint32_t>(at);
    if (length == 0) {
      return BadBytes{
          place, place + 1, fmt::format("byte 0x{:02x} is not UTF-8", byte_at(text, at))};
    }
    if (is_control(byte_at(text, at))) {
      return BadBytes{
          place,
          place + 1,
          fmt::format("control character 0x{:02x} cannot stand in YAML", byte_at(text, at))};
    }
    at += length;
  }
  return std::nullopt;
}

// BoundedStream: a text for yaml-cpp, which ends early if yaml-cpp takes in too much of it without
// an event. It reports a bracketed collection only when it has seen all of it, and keeps some 250
// bytes for each mark until then. Of a single value it keeps some twenty copies.

class BoundedStream final : public std::streambuf {
 public:
  // `text` must outlive the stream. Marks are the characters that can begin or end a token.
  BoundedStream(std::string_view text, std::size_t marks_max, std::size_t bytes_max)
      : text_{text}, marks_max_{marks_max}, bytes_max_{bytes_max} {}

  // Events have reported all before `offset`.
  void told(std::size_t offset);
  // True if the text was ended early, and if that was for its length alone.
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

constexpr std::size_t kPiece = 2048;  // bytes that yaml-cpp reads at once

constexpr std::array<bool, 256> kIsMark = [] {
  std::array<bool, 256> marks{};
  for (const char c : std::string_view{",[]{}:?&*!\"'|>%@"})
    marks[static_cast<unsigned char>(c)] = true;
  return marks;
}();

std::size_t count_marks(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return kIsMark[static_cast<unsigned char>(c)]; }));
}

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

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The tree's share of the 40 bytes for each byte of a text that reading it may take in all, and of
// the 16 MB that it may always take: it is most of them.
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
  // The offset of an event: all before it has been reported.
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
            "divide it into several files, and describe repetitions by node sets or profiles");
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
              "the value that begins here is too long: more than {} brackets, commas, colons and "
              "quotes before its end",
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
  // An error in the part that was read says more than its length.
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
        fmt::format("the file has {} bytes, but at most {} are read", text.size(), bytes_max));
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
