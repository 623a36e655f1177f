// SPDX-License-Identifier: Apache-2.0
// The tree of a document to a FabricSpec.
#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/model/spec.hpp"
#include "engine/yaml/node.hpp"

namespace fabric {

// Decodes every part that can be decoded: parts of a wrong shape are passed over, as the schema's
// validator has reported them. Judges what no shape expresses: names, node sets, models, endpoints,
// addresses.
FabricSpec decode_document(const yaml::Node& document, Diagnostics& diagnostics);

}  // namespace fabric
