// SPDX-License-Identifier: Apache-2.0
// Several files to one document.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/yaml/node.hpp"

namespace fabric {

// Mappings merge recursively, in order of the files. A scalar or list that is given twice is the
// error `duplicate-key`, which names both places; the first one stands. A key without a value
// gives way to one that has one. Linear in the size of the documents.
yaml::Node merge_documents(std::vector<yaml::Node> documents, Diagnostics& diagnostics);

}  // namespace fabric
