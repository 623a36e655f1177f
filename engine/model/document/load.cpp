// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/load.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/model/document/decode.hpp"
#include "engine/model/document/merge.hpp"
#include "engine/model/rules/rules.hpp"
#include "engine/schema/catalog.hpp"
#include "engine/schema/mapping_keys.hpp"
#include "engine/schema/schema.hpp"
#include "engine/schema/validate.hpp"
#include "engine/yaml/parse.hpp"

namespace fabric {

namespace {

const schema::Schema& document_schema() {
  static const Result<schema::Schema> shape = schema::Schema::load(schema::find_schema("fabric"));
  FABRIC_CHECK(shape.has_value(), "the schema that is compiled in can be loaded");
  return *shape;
}

// A finding takes some hundred bytes and its lines in a report some thousand. A document with so
// many findings about its shape is no document.
constexpr std::size_t kFindingsAlways = 2'000;
constexpr std::size_t kBytesPerFinding = 1'000;

// How many findings were too many.
void tell_dropped(const yaml::Node& document, Diagnostics& diagnostics) {
  diagnostics.keep_at_most(SIZE_MAX);
  diagnostics.keep_at_most_errors(SIZE_MAX);
  if (diagnostics.dropped() == 0) return;
  const std::uint32_t begin = document.range.begin;
  diagnostics
      .error(
          "out-of-range",
          {document.range.file, begin, begin},
          fmt::format("{} more findings are not told", diagnostics.dropped()))
      .with_help("mend those that are told first");
}

// A key that is there under a wrong name is told as that alone, and not as missing too.
void leave_out_misspelt(Diagnostics& diagnostics) {
  std::vector<Diagnostic> items = diagnostics.take_items();
  std::vector<Diagnostic> misspelt;
  std::copy_if(items.begin(), items.end(), std::back_inserter(misspelt), [](const auto& item) {
    return item.rule == "unknown-key" && !item.key.empty();
  });
  std::erase_if(items, [&misspelt](const Diagnostic& item) {
    return item.rule == "missing-key" &&
           std::any_of(misspelt.begin(), misspelt.end(), [&item](const Diagnostic& key) {
             return key.range.file == item.range.file && key.range.begin >= item.range.begin &&
                    key.range.end <= item.range.end && item.key == key.key;
           });
  });
  for (Diagnostic& item : items)
    diagnostics.add(std::move(item));
}

// A platform or mode that can't be read has a default in its place. What is found of such a node or
// network may follow from that: it is counted, and not told beside the bad value.
void blame_unread(const FabricSpec& spec, Diagnostics& diagnostics) {
  std::set<SourceRange> unread;
  for (const Diagnostic& each : diagnostics.items()) {
    if (each.severity == Severity::error && each.rule == "out-of-range") unread.insert(each.range);
  }
  std::map<std::string, SourceRange> causes;
  const auto blame = [&](const std::string& name, const WrittenKeys& keys, std::string_view key) {
    for (const WrittenKey& each : keys) {
      if (each.key == key && unread.contains(each.range)) causes.emplace(name, each.range);
    }
  };
  for (const auto& [name, node] : spec.nodes)
    blame(name.str(), *node.written, "nodes.*.platform");
  for (const auto& [name, network] : spec.networks)
    blame(name, *network.written, "networks.*.mode");
  if (causes.empty()) return;
  for (Diagnostic& each : diagnostics.take_items()) {
    const auto cause = causes.find(each.subject.name);
    if (cause != causes.end() && cause->second != each.range) each.because_of(cause->second);
    diagnostics.add(std::move(each));
  }
}

}  // namespace

yaml::Node read_document(
    const SourceMap& sources, const std::vector<FileId>& files, Diagnostics& diagnostics) {
  std::vector<yaml::Node> documents;
  documents.reserve(files.size());
  for (const FileId file : files)
    documents.push_back(yaml::parse(sources, file, diagnostics));
  const bool cut_short = std::any_of(
      documents.begin(), documents.end(), [](const yaml::Node& root) { return root.cut_short; });
  yaml::Node merged = merge_documents(std::move(documents), diagnostics);
  merged.cut_short = cut_short;
  return merged;
}

LoadedDocument load_document(const SourceMap& sources, const std::vector<FileId>& files) {
  LoadedDocument loaded;
  std::size_t bytes = 0;
  for (const FileId file : files)
    bytes += sources.text(file).size();
  const std::size_t most = kFindingsAlways + bytes / kBytesPerFinding;
  loaded.diagnostics.keep_at_most(most);
  const yaml::Node document = read_document(sources, files, loaded.diagnostics);
  if (document.cut_short) {
    // Everything behind the syntax error would be found missing; only what is drawn is decoded.
    Diagnostics consequences;
    loaded.spec = decode_document(document, consequences);
    tell_dropped(document, loaded.diagnostics);
    loaded.diagnostics.sort();
    return loaded;
  }
  schema::validate(document, document_schema(), loaded.diagnostics);
  if (loaded.diagnostics.dropped() > 0) {
    tell_dropped(document, loaded.diagnostics);
    loaded.diagnostics.sort();
    return loaded;
  }
  loaded.spec = decode_document(document, loaded.diagnostics);
  leave_out_misspelt(loaded.diagnostics);
  loaded.diagnostics.keep_at_most(SIZE_MAX);
  loaded.diagnostics.keep_at_most_errors(most);
  check_rules(loaded.spec, loaded.diagnostics);
  blame_unread(loaded.spec, loaded.diagnostics);
  tell_dropped(document, loaded.diagnostics);
  loaded.diagnostics.sort();
  return loaded;
}

}  // namespace fabric
