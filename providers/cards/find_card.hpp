// SPDX-License-Identifier: Apache-2.0
// Finds the card of a node that an adapter of the document means.
#pragma once

#include <string>
#include <vector>

#include "engine/value/value.hpp"
#include "providers/cards/card.hpp"

namespace fabric::providers {

struct FoundCard {
  // Null: see `why`. A board in several slots is its card with the lowest address.
  const Card* card = nullptr;
  std::vector<const Card*> candidates;  // without a card, more than one: the binding is ambiguous
  std::string why;                      // "no card of model connectx-5", "2 cards fit"
  // The selector names another port than the first: "pci 0000:01:00.1 is port 2 of card ...".
  std::string other_port;
};

// `binding` as engine/model/resource_keys.hpp documents it. The result points into `cards`.
FoundCard find_card(const std::vector<Card>& cards, const Map& binding);

struct FoundPort {
  const Card* card = nullptr;
  const AdapterPort* port = nullptr;  // null: see why
  std::string why;
};
// Finds one port by binding.port.
FoundPort find_port(const std::vector<Card>& cards, const Map& binding);

}  // namespace fabric::providers
