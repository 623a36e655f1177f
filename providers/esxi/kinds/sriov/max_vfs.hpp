// SPDX-License-Identifier: Apache-2.0
// The option max_vfs of the cards' driver: a list with one number for each port of the driver, in
// PCI order over all cards (E-esxi-vfs). A port that a guest has is not a port of the driver
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

// The ports of the driver, without those of the cards in `gone` (PCI addresses of first functions).
Ports driver_ports(const std::vector<EsxCard>& cards, const std::set<PciAddress>& gone);

std::optional<std::size_t> place_of(const Ports& ports, const AdapterPort& port);

// The number at `place`, 0 if the list is shorter; nullopt: the entry is no number.
std::optional<std::int64_t> entry_of(const std::string& list, std::size_t place);

// The list rewritten from the ports `now` to the ports `then`: ports that are new get 0, ports that
// are gone lose their entry, and entries beyond those of `now` stay.
std::string list_moved(const std::string& list, const Ports& now, const Ports& then);

}  // namespace fabric::providers::esxi
