// SPDX-License-Identifier: Apache-2.0
// Any bytes as the document of a directory: reading, merging, decoding and judging end, throw
// nothing, and say nothing of a place that is not in the text. What loads without an error can be
// explained.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/document/provenance.hpp"

namespace fabric {
namespace {

void check_range(const SourceMap& sources, const SourceRange& range) {
  FABRIC_CHECK(range.file.value < sources.size(), "a place is in a file that was read");
  FABRIC_CHECK(range.begin <= range.end, "a range does not end before it begins");
  FABRIC_CHECK(range.end <= sources.text(range.file).size(), "a range lies inside the text");
}

void check_found(const SourceMap& sources, const Result<std::vector<Provenance>>& found) {
  if (!found) return;
  for (const Provenance& each : *found)
    check_range(sources, each.range);
}

// A line "%%" begins the next file.
void load(const std::string& text) {
  constexpr std::string_view kNextFile = "\n%%\n";
  SourceMap sources;
  std::vector<FileId> files;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(kNextFile, begin), text.size());
    files.push_back(sources.add("fuzz.yaml", text.substr(begin, end - begin)));
    begin = end + kNextFile.size();
  }
  const LoadedDocument loaded = load_document(sources, files);
  for (const Diagnostic& item : loaded.diagnostics.items()) {
    FABRIC_CHECK(!item.rule.empty() && !item.message.empty(), "a finding says what it is");
    check_range(sources, item.range);
    for (const Note& note : item.related)
      check_range(sources, note.range);
  }
  Diagnostics ignored;
  const yaml::Node document = read_document(sources, files, ignored);
  std::size_t explained = 0;
  constexpr std::size_t kMostExplained = 20;
  for (const auto& [name, node] : loaded.spec.nodes) {
    if (++explained > kMostExplained) break;
    check_found(sources, explain_address(document, loaded.spec, name.str()));
  }
  for (const auto& [name, network] : loaded.spec.networks) {
    if (++explained > kMostExplained) break;
    check_found(sources, explain_address(document, loaded.spec, "networks." + name));
    for (const PortRef& port : network.member_ports()) {
      if (++explained > kMostExplained) break;
      check_found(sources, explain_address(document, loaded.spec, port.str()));
    }
  }
}

}  // namespace
}  // namespace fabric

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fabric::load(std::string{data, data + size});
  return 0;
}
