// SPDX-License-Identifier: Apache-2.0
// Copies a card of a node, from its facts, into the lab.
#pragma once

#include "engine/lab/lab_spec.hpp"
#include "providers/cards/card.hpp"
#include "providers/cards/card_settings.hpp"

namespace fabric::rehearse {

lab::LabAdapter copy_card(const providers::Card& card, const providers::CardSettings& settings);

}  // namespace fabric::rehearse
