// SPDX-License-Identifier: Apache-2.0
// Source texts and places in them. A place is kept as byte offsets; line and column are computed
// only when something is shown to a person.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabric {

struct FileId {
  std::uint32_t value = 0;
  friend auto operator<=>(const FileId&, const FileId&) = default;
};

// Bytes [begin, end) of one source text. The default value means "no place" (see is_known).
struct SourceRange {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend auto operator<=>(const SourceRange&, const SourceRange&) = default;
};

// A value together with the place in the YAML that gave it. A range with file 0: no line gave it (a
// default of the program).
template <class T>
struct Sourced {
  T value{};
  SourceRange range{};
};

// A place for people: both numbers from 1; the column counts Unicode characters, not bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  friend auto operator<=>(const Position&, const Position&) = default;
};

// Owns every text that was read in a run. File 0 is the empty text "<none>".
class SourceMap {
 public:
  SourceMap();

  // `path` is shown to people exactly as given.
  FileId add(std::string path, std::string text);
  // Adds a place in a text that is not available, as for a finding of a plan file.
  SourceRange add_place(std::string_view path, Position place);

  // REQUIRES for all below: `file` came from add() of this map, or is FileId{}.
  const std::string& path(FileId file) const;
  const std::string& text(FileId file) const;
  // False for the file of a place that add_place() added: it has positions, but no lines.
  bool has_text(FileId file) const;
  std::size_t size() const { return files_.size(); }
  Position position(FileId file, std::uint32_t offset) const;
  // The text of a line (from 1), without its line end.
  std::string_view line(FileId file, std::uint32_t number) const;

 private:
  struct File {
    std::string path;
    std::string text;
    std::vector<std::uint32_t> line_starts;
    std::vector<Position> places;           // instead of a text; an "offset" is an index here
    std::vector<std::uint32_t> characters;  // number before each block of the text
  };
  const File& at(FileId file) const;
  static std::uint32_t characters_before(const File& file, std::uint32_t offset);
  std::vector<File> files_;
};

// False for the range of a value that no line of the document gave.
inline bool is_known(const SourceRange& range) {
  return range.file.value != 0;
}

}  // namespace fabric
