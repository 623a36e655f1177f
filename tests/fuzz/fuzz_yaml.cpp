// SPDX-License-Identifier: Apache-2.0
// Any bytes as a document: the reader and the validator end, throw nothing, and every place they
// name lies inside the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "engine/base/check.hpp"
#include "engine/schema/catalog.hpp"
#include "engine/schema/schema.hpp"
#include "engine/schema/validate.hpp"
#include "engine/yaml/parse.hpp"
#include "engine/yaml/scalar.hpp"

namespace fabric {
namespace {

void check_range(const SourceMap& sources, SourceRange range) {
  FABRIC_CHECK(range.file.value == 1, "a place is in the file that was read");
  FABRIC_CHECK(range.begin <= range.end, "a range does not end before it begins");
  FABRIC_CHECK(range.end <= sources.text(range.file).size(), "a range lies inside the text");
}

// NOLINTNEXTLINE(misc-no-recursion): depth is bounded by parse()
void check_node(const SourceMap& sources, const yaml::Node& node) {
  check_range(sources, node.range);
  yaml::interpret(node);
  for (const yaml::Node& item : node.items)
    check_node(sources, item);
  for (const yaml::Entry& entry : node.entries) {
    check_range(sources, entry.key_range);
    FABRIC_CHECK(&node.find_entry(entry.key)->key == &entry.key, "keys are unique");
    check_node(sources, entry.value);
  }
}

void read_document(std::string text) {
  static const schema::Schema kSchema = *schema::Schema::load(schema::find_schema("fabric"));
  SourceMap sources;
  const FileId file = sources.add("fuzz.yaml", std::move(text));
  Diagnostics diagnostics;
  const yaml::Node root = yaml::parse(sources, file, diagnostics);
  FABRIC_CHECK(!root.cut_short || diagnostics.has_errors(), "what is cut short is an error");
  check_node(sources, root);
  schema::validate(root, kSchema, diagnostics);
  for (const Diagnostic& item : diagnostics.items()) {
    check_range(sources, item.range);
    for (const Note& note : item.related)
      check_range(sources, note.range);
  }
}

}  // namespace
}  // namespace fabric

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fabric::read_document(std::string{data, data + size});
  return 0;
}
