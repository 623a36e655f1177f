// SPDX-License-Identifier: Apache-2.0
// Compares the cards of a node with the adapters that a document has there, on every platform with
// cards.
#pragma once

#include <span>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "engine/provider/observation.hpp"
#include "providers/cards/card.hpp"

namespace fabric::providers {

// One observation for each resource, in order. `probed`: the node's PCI devices could be read, so
// that a card that is not in `cards` is absent. Diagnostics: adapter-missing, adapter-ambiguous,
// firmware-too-old.
std::vector<Observation> observe_adapters(
    std::span<const Resource> wanted,
    const std::vector<Card>& cards,
    bool probed,
    Diagnostics& diagnostics);

}  // namespace fabric::providers
