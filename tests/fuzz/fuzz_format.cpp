// SPDX-License-Identifier: Apache-2.0
// Any bytes as a document to format: what is printed is canonical, has the same values in the same
// order and the same comments, or the text is refused with a place.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "engine/base/check.hpp"
#include "engine/yaml/printer.hpp"

namespace fabric {
namespace {

void format_document(std::string text) {
  const auto comment_signs = std::count(text.begin(), text.end(), '#');
  SourceMap sources;
  const FileId file = sources.add("fuzz.yaml", std::move(text));
  Diagnostics diagnostics;
  const std::optional<yaml::Formatted> formatted = yaml::format(sources, file, diagnostics);
  FABRIC_CHECK(
      formatted.has_value() != diagnostics.has_errors(), "what is not formatted is an error");
  FABRIC_CHECK(!formatted || formatted->is_same, "a formatted text says the same");
  if (!formatted) return;
  FABRIC_CHECK(
      std::count(formatted->text.begin(), formatted->text.end(), '#') == comment_signs,
      "no comment is lost");
  FABRIC_CHECK(
      formatted->text.empty() || formatted->text.back() == '\n', "a text ends with a line's end");
}

}  // namespace
}  // namespace fabric

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fabric::format_document(std::string{data, data + size});
  return 0;
}
