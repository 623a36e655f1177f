#include "engine/model/document/load.hpp"

#include <algorithm>
#include <string>

#include "engine/base/check.hpp"
#include "engine/model/document/decode.hpp"
#include "engine/model/document/merge.hpp"
#include "engine/model/rules/rules.hpp"
#include "engine/model/spec_names.hpp"
#include "engine/schema/catalog.hpp"
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
  const yaml::Node document = read_document(sources, files, loaded.diagnostics);
  if (document.cut_short) {
    // Everything behind the syntax error would be found missing; only what is drawn is decoded.
    Diagnostics consequences;
    loaded.spec = decode_document(document, consequences);
    loaded.diagnostics.sort();
    return loaded;
  }
  schema::validate(document, document_schema(), loaded.diagnostics);
  loaded.spec = decode_document(document, loaded.diagnostics);
  check_rules(loaded.spec, loaded.diagnostics);
  loaded.diagnostics.sort();
  if (!loaded.diagnostics.empty()) loaded.diagnostics.find_names(names_in(loaded.spec));
  return loaded;
}

}  // namespace fabric
