// SPDX-License-Identifier: Apache-2.0
// The note of the cards on which fabric has made virtual functions. It is an advanced setting
// (E-esxi-advanced), because an ESXi host keeps no file of fabric over a boot (E-esxi-files).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/remote/command.hpp"
#include "providers/esxi/kinds/cards.hpp"

namespace fabric::providers::esxi {

// The probe of all advanced settings that were added to the host.
Probe notes_probe();
// The text of a note; "" = there is none. Fails with ErrorCode::invalid where notes can't be read.
Result<std::string> note_of(const NodeFacts& facts, std::string_view name);

// Puts the card into the note, or takes it out.
remote::Argv note_functions(const std::string& adapter, const Card& card, bool has_functions);
bool has_noted(const NodeFacts& facts, const std::string& adapter, const Card& card);

// Orphans for the cards of the note that are not in `wanted`: the attributes of `desired` go back
// to their values in `before`; attributes that `before` lacks shall be absent.
std::vector<Resource> left_on_cards(
    std::string_view kind,
    std::span<const Resource> wanted,
    const NodeFacts& facts,
    const Map& before,
    const DesiredAttributes& desired);

}  // namespace fabric::providers::esxi
