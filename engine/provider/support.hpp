// SPDX-License-Identifier: Apache-2.0
// Support: the parts of a resource that the providers of this program can do.
#pragma once

#include <vector>

#include "engine/provider/registry.hpp"

namespace fabric {

// The features that no provider has, pointing into `resource`; all of them if its kind has no
// provider.
std::vector<const Feature*> missing_features(const Resource& resource, const Registry& registry);

// True if the resource can be observed: it has a provider, and its missing features are at most
// single attributes.
bool is_observable(const Resource& resource, const Registry& registry);

}  // namespace fabric
