// SPDX-License-Identifier: Apache-2.0
// The option max_vfs of the driver of the cards: a list with an entry for each of its ports, in PCI
// order over all cards (E-esxi-vfs). A port that a guest has does not belong to the driver
// (E-esxi-vfs-passthrough).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/names.hpp"
#include "providers/esxi/kinds/cards.hpp"

namespace fabric::providers::esxi {

using Ports = std::vector<PciAddress>;

// Ports of the driver without those of cards that are `gone`, by their first functions.
Ports driver_ports(const std::vector<EsxCard>& cards, const std::set<PciAddress>& gone);

std::optional<std::size_t> place_of(const Ports& ports, const AdapterPort& port);

// The entry, 0 where there is none; nullopt: it is no number.
std::optional<std::int64_t> entry_of(const std::string& list, std::size_t place);

// The list of the ports `now` as that of the ports `then`, where some have gone and others have
// come, with 0; what stands behind the entries of `now` stays.
std::string list_moved(const std::string& list, const Ports& now, const Ports& then);

}  // namespace fabric::providers::esxi
