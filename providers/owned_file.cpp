#include "providers/owned_file.hpp"

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {
constexpr std::string_view kMarker = "# managed by fabric: ";
}  // namespace

std::string owned_marker(const ResourceAddress& address) {
  return std::string{kMarker} + address.str() + "\n";
}

bool is_owned(std::string_view content) {
  return content.starts_with(kMarker);
}

FileTexts file_texts(std::string_view grep_output) {
  FileTexts files;
  for (const std::string_view line : split_lines(grep_output)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !line.starts_with('/')) continue;
    std::string& text = files[std::string{line.substr(0, colon)}];
    text += line.substr(colon + 1);
    text += '\n';
  }
  return files;
}

}  // namespace fabric::providers
