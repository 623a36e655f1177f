// SPDX-License-Identifier: Apache-2.0
// A card of a chain that keeps its link while its host is not there.
#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "providers/cards/card_settings.hpp"

namespace fabric::providers {

// Rule `chain-link-held`, where the document asks the card to chain and the next boot holds the
// link of a port: the card forwards nothing then, and the neighbours see a carrier.
void warn_of_held_links(
    const Resource& resource, const CardSettings& settings, Diagnostics& diagnostics);

}  // namespace fabric::providers
