// SPDX-License-Identifier: Apache-2.0
// The cards of an ESXi host: PCI functions, NICs, RDMA devices, and facts from the vendor's
// firmware tools. Found by PCI address; names of NICs are attributes, never identity.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"
#include "providers/cards/card.hpp"
#include "providers/cards/card_settings.hpp"

namespace fabric::providers::esxi {

struct EsxCard {
  // As on a host without sysfs: no link layer, no PCIe link, no serial number and no driver, which
  // are facts that only the kernel of a Linux host shows.
  Card card;
  std::string module;            // "nmlx5_core", "pciPassthru"; "" = none
  bool passed_through = false;   // a guest has it: no tool of the host sees it
  std::string mst;               // "mt4125_pciconf0"; "" = mst does not show it
  std::string firmware_unknown;  // why flint told nothing; "" = it did
};

std::vector<Probe> card_probes();
// The vendor's cards in order of address, without virtual functions. Fails with the line where the
// list of PCI functions can't be read; facts that another tool does not tell are empty.
Result<std::vector<EsxCard>> cards_of(const NodeFacts& facts);
std::vector<Card> plain(const std::vector<EsxCard>& cards);

// The NICs of the cards' driver, all of which its options concern; or of one card.
std::vector<std::string> nics_of_driver(const std::vector<EsxCard>& cards);
std::vector<std::string> nics_of(const EsxCard& card);

// The card's settings as mlxconfig prints them.
CardSettings settings_of(const NodeFacts& facts, const EsxCard& card);

}  // namespace fabric::providers::esxi
