// SPDX-License-Identifier: Apache-2.0
// Document: the files of one document, and their content. The caller reads them.
#pragma once

#include <string>
#include <vector>

#include "engine/base/source.hpp"
#include "engine/model/document/load.hpp"
#include "plans/plan.hpp"

namespace fabric::workflow {

struct Document {
  SourceMap sources;
  std::vector<plans::InputFile> inputs;  // in the order of their paths
  std::vector<FileId> files;             // the same files, in `sources`
  std::string folder;                    // where lab.yaml would be
  LoadedDocument loaded;

  const FabricSpec& spec() const { return loaded.spec; }
  bool valid() const { return !loaded.diagnostics.has_errors(); }
};

}  // namespace fabric::workflow
