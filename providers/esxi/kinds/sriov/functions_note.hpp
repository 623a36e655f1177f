// SPDX-License-Identifier: Apache-2.0
// The note of the cards with virtual functions that fabric has made: an ESXi host keeps no file of
// ours over a boot (E-esxi-files), but advanced settings (E-esxi-advanced).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/remote/command.hpp"
#include "providers/esxi/kinds/cards.hpp"

namespace fabric::providers::esxi {

// All advanced settings that were added to the host.
Probe notes_probe();
// "" = there is no such setting. Fails with ErrorCode::invalid where they can't be read.
Result<std::string> note_of(const NodeFacts& facts, std::string_view name);

// Puts the card into the note, or takes it out.
remote::Argv note_functions(const std::string& adapter, const Card& card, bool has_functions);
bool has_noted(const NodeFacts& facts, const std::string& adapter, const Card& card);

// The cards of the note that are none of `wanted`, as resources of this kind: what `desired` holds
// is given back as `before` has it; what `before` does not have shall not be there.
std::vector<Resource> left_on_cards(
    std::string_view kind,
    std::span<const Resource> wanted,
    const NodeFacts& facts,
    const Map& before,
    const DesiredAttributes& desired);

}  // namespace fabric::providers::esxi
