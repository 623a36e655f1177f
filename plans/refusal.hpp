// Refusal: what the document asks for and no provider does, by the names of its author.
#pragma once

#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/provider/registry.hpp"

namespace fabric::plans {

// An error `not-supported-yet` at each place that asks for it, once, however many nodes it is for.
// What is only observed or only checked is never refused.
void refuse_missing(
    const std::vector<Resource>& resources, const Registry& registry, Diagnostics& diagnostics);

}  // namespace fabric::plans
