// SPDX-License-Identifier: Apache-2.0
#include "engine/base/source.hpp"

#include <algorithm>

#include "engine/base/check.hpp"

namespace fabric {

namespace {

// Bytes of a block: a line can be as long as its file, and have a finding at every second byte.
constexpr std::size_t kBlock = 256;

// Every byte that is not a UTF-8 continuation byte starts a character.
std::uint32_t count_characters(std::string_view text) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

SourceMap::SourceMap() {
  add("<none>", "");
}

FileId SourceMap::add(std::string path, std::string text) {
  File file{std::move(path), std::move(text), {0}, {}, {}};
  std::uint32_t characters = 0;
  for (std::size_t i = 0; i < file.text.size(); i += kBlock) {
    file.characters.push_back(characters);
    characters += count_characters(std::string_view{file.text}.substr(i, kBlock));
  }
  // The lines are counted first: a list that grows is in memory twice for a moment, and a hostile
  // file may be nothing but line ends.
  const auto lines = std::ranges::count(file.text, '\n');
  file.line_starts.reserve(static_cast<std::size_t>(lines) + 1);
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  files_.push_back(std::move(file));
  return FileId{static_cast<std::uint32_t>(files_.size() - 1)};
}

SourceRange SourceMap::add_place(std::string_view path, Position place) {
  const auto known = std::ranges::find_if(
      files_, [&](const File& file) { return file.path == path && !file.places.empty(); });
  const auto index = static_cast<std::uint32_t>(known - files_.begin());
  if (known == files_.end()) files_.push_back({std::string{path}, {}, {0}, {}, {}});
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
  const auto after = std::ranges::upper_bound(source.line_starts, clamped);
  const std::uint32_t start = *std::prev(after);
  const std::uint32_t column =
      1 + characters_before(source, clamped) - characters_before(source, start);
  return {static_cast<std::uint32_t>(after - source.line_starts.begin()), column};
}

std::uint32_t SourceMap::characters_before(const File& file, std::uint32_t offset) {
  const std::size_t block = offset / kBlock;
  // The end of a text that fills its last block.
  const std::size_t known =
      std::min(block, file.characters.empty() ? 0 : file.characters.size() - 1);
  if (file.characters.empty()) return 0;
  const std::size_t begin = known * kBlock;
  return file.characters[known] +
         count_characters(std::string_view{file.text}.substr(begin, offset - begin));
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
