// SPDX-License-Identifier: Apache-2.0
// From a document's texts to a FabricSpec: parse, merge the files, validate the shape, expand,
// decode, judge by rules. Pure; the caller has read the files into `sources`.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/model/rule.hpp"
#include "engine/model/spec.hpp"
#include "engine/yaml/node.hpp"

namespace fabric {

struct LoadedDocument {
  FabricSpec spec;
  // Sorted. With errors, `spec` has all that could be decoded; it may be drawn but not planned.
  Diagnostics diagnostics;
};

// The rules of stage reader, except those that rules/nodes.cpp checks (label-missing).
RuleRows reader_rules();

// The files' trees, merged to one. REQUIRES: as load_document.
yaml::Node read_document(
    const SourceMap& sources, const std::vector<FileId>& files, Diagnostics& diagnostics);

// REQUIRES: files belong to `sources`, in the order of their paths.
LoadedDocument load_document(const SourceMap& sources, const std::vector<FileId>& files);

// Decodes every part that can be decoded: parts of a wrong shape are skipped, as the schema's
// validator has reported them. Checks what a schema can't: names, node sets, models, endpoints,
// addresses.
FabricSpec decode_document(const yaml::Node& document, Diagnostics& diagnostics);

// Merges mappings recursively, in order of the files. A scalar or list that is given twice is the
// error `duplicate-key`, which names both places; the first one stays. A key without a value gives
// way to one that has one. Linear in the size of the documents.
yaml::Node merge_documents(std::vector<yaml::Node> documents, Diagnostics& diagnostics);

}  // namespace fabric
