// SPDX-License-Identifier: Apache-2.0
// Facts of an ESX host (3.5, 4) from its service console: cards, NICs, modules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/observation.hpp"
#include "engine/provider/provider.hpp"
#include "providers/cards/card.hpp"
#include "providers/esx/parsers/esxcfg_module.hpp"
#include "providers/esx_classic/parsers/esxcfg_lists.hpp"

namespace fabric::providers::esx_classic {

// Of the vendor's bundles: what drives the cards, and what lies upon it.
inline constexpr const char* kCardDriver = "mlx4_en";
inline constexpr const char* kIpoibDriver = "ib_ipoib";
inline constexpr const char* kPortTypes = "port_types";

// "VMware ESX 4.0.0 build-164009": the probe "esx-version".
Probe version_probe();
Result<std::string> version_of(const NodeFacts& facts);

// Cards, their GUIDs and NICs.
std::vector<Probe> card_probes();
// In order of address. Of a host without sysfs: two ports each, behind one function, of which only
// the numbers are known; a node GUID where there is one card and the driver tells one.
Result<std::vector<Card>> cards_of(const NodeFacts& facts);
Result<std::vector<EsxcfgNic>> nics_of(const NodeFacts& facts);
// NICs of the cards' drivers, which their options concern.
std::vector<std::string> nics_of_drivers(const NodeFacts& facts);
// The NICs of a port of a card: "vmnic13.p1" (E-esx-nic-names).
std::vector<EsxcfgNic> nics_of_port(
    const std::vector<EsxcfgNic>& nics, const Card& card, std::uint32_t port);
// Selects by known properties: before the drivers are there no tool shows a node GUID, and it is
// not compared.
Resource bound_by_what_is_known(Resource resource, const std::vector<Card>& cards);

// Modules: which there are, which run, their options for the next load, and what was changed since
// the boot.
std::vector<Probe> module_probes();
// nullopt: the host has no such module, since no bundle has brought it. Fails where that can't be
// told.
Result<std::optional<EsxModule>> module_of(const NodeFacts& facts, std::string_view module);
Result<bool> runs(const NodeFacts& facts, std::string_view module);
// Changed since the boot, so that the module runs with another value or none. `what`: a module, or
// "bundles".
Result<bool> is_pending(const NodeFacts& facts, std::string_view what, std::string_view key);

}  // namespace fabric::providers::esx_classic
