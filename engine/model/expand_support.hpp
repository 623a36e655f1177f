// What no provider can do yet. The one list to shorten when a provider arrives.
#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/model/spec.hpp"

namespace fabric {

// An error `not-supported-yet` at every key, mode or platform of a managed node that would have to
// be left undone. Nodes in state observe are never written, so they are never refused.
void refuse_unsupported(const FabricSpec& spec, Diagnostics& diagnostics);

}  // namespace fabric
