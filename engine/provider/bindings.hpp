// SPDX-License-Identifier: Apache-2.0
// Values that planning finds beyond the document and puts into the bindings of resources: port
// GUIDs of other nodes, the digest of an image. A plan carries them, so that apply observes with
// the same values.
#pragma once

#include <map>
#include <vector>

#include "engine/model/resource.hpp"

namespace fabric {

using Bindings = std::map<ResourceAddress, Map>;

// The resources with those entries added; resources that are not in `bindings` stay as they are.
std::vector<Resource> with_bindings(std::vector<Resource> resources, const Bindings& bindings);

}  // namespace fabric
