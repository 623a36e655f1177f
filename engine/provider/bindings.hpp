// SPDX-License-Identifier: Apache-2.0
// What planning finds out beyond the document and puts into the bindings of resources: port GUIDs
// of other nodes, the digest of an image. A plan carries it, so that what is applied is observed
// just as it was planned.
#pragma once

#include <map>
#include <vector>

#include "engine/model/resource.hpp"

namespace fabric {

using Bindings = std::map<ResourceAddress, Map>;

// The entries that `after` has and `before` has not, or has otherwise. REQUIRES: the same resources
// in the same order.
Bindings binding_delta(const std::vector<Resource>& before, const std::vector<Resource>& after);

// With those entries; resources that are not in `bindings` stay as they are.
std::vector<Resource> with_bindings(std::vector<Resource> resources, const Bindings& bindings);

}  // namespace fabric
