#include "engine/report/diagnostics/place.hpp"

#include <algorithm>

namespace fabric::report {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The length of the UTF-8 sequence that the byte begins, 0 if it begins none.
std::size_t announced_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

std::size_t sequence_length(std::string_view text) {
  const std::size_t length = announced_length(static_cast<unsigned char>(text.front()));
  if (length > text.size()) return 0;
  const bool whole = std::all_of(
      text.begin() + 1,
      text.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(length, 1)),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; });
  return whole ? length : 0;
}

bool is_control(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead < 0x20 || lead == 0x7f;
  // U+0080 to U+009F: the second set of control characters.
  return lead == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

}  // namespace

Place place_of(const SourceMap& sources, SourceRange range) {
  Place place;
  if (!is_known(range)) return place;
  place.known = true;
  place.path = sources.path(range.file);
  place.begin = sources.position(range.file, range.begin);
  place.end = sources.position(range.file, std::max(range.begin, range.end));
  return place;
}

std::string relative_path(std::string_view path, std::string_view root) {
  while (root.size() > 1 && root.back() == '/')
    root.remove_suffix(1);
  const bool below = !root.empty() && path.size() > root.size() + 1 &&
                     path.substr(0, root.size()) == root && path[root.size()] == '/';
  if (below) path.remove_prefix(root.size() + 1);
  while (path.substr(0, 2) == "./")
    path.remove_prefix(2);
  return std::string{path};
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (character == "\t" || character == "\n") {
      shown += ' ';
    } else if (length == 0 || is_control(character)) {
      shown += kReplacement;
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace fabric::report
