#include "engine/base/source.hpp"

#include <algorithm>

#include "engine/base/check.hpp"

namespace fabric {

SourceMap::SourceMap() {
  add("<none>", "");
}

FileId SourceMap::add(std::string path, std::string text) {
  File file{std::move(path), std::move(text), {0}, {}};
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  files_.push_back(std::move(file));
  return FileId{static_cast<std::uint32_t>(files_.size() - 1)};
}

SourceRange SourceMap::add_place(std::string_view path, Position place) {
  const auto known = std::find_if(files_.begin(), files_.end(), [&](const File& file) {
    return file.path == path && !file.places.empty();
  });
  const auto index = static_cast<std::uint32_t>(known - files_.begin());
  if (known == files_.end()) files_.push_back({std::string{path}, {}, {0}, {}});
  std::vector<Position>& places = files_[index].places;
  places.push_back(place);
  const auto offset = static_cast<std::uint32_t>(places.size() - 1);
  return {FileId{index}, offset, offset};
}

bool SourceMap::has_text(FileId file) const {
  return at(file).places.empty();
}

const SourceMap::File& SourceMap::at(FileId file) const {
  FABRIC_CHECK(file.value < files_.size(), "file id of another source map");
  return files_[file.value];
}

const std::string& SourceMap::path(FileId file) const {
  return at(file).path;
}

const std::string& SourceMap::text(FileId file) const {
  return at(file).text;
}

Position SourceMap::position(FileId file, std::uint32_t offset) const {
  const File& source = at(file);
  if (!source.places.empty())
    return source.places[std::min<std::size_t>(offset, source.places.size() - 1)];
  const auto clamped = std::min(offset, static_cast<std::uint32_t>(source.text.size()));
  const auto after =
      std::upper_bound(source.line_starts.begin(), source.line_starts.end(), clamped);
  const std::uint32_t start = *std::prev(after);
  std::uint32_t column = 1;
  for (std::uint32_t i = start; i < clamped; ++i) {
    // Every byte that is not a UTF-8 continuation byte starts a character.
    if ((static_cast<unsigned char>(source.text[i]) & 0xC0U) != 0x80U) ++column;
  }
  return {static_cast<std::uint32_t>(after - source.line_starts.begin()), column};
}

std::string_view SourceMap::line(FileId file, std::uint32_t number) const {
  const File& source = at(file);
  if (number == 0 || number > source.line_starts.size()) return {};
  const std::uint32_t begin = source.line_starts[number - 1];
  std::string_view rest = std::string_view{source.text}.substr(begin);
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

}  // namespace fabric
