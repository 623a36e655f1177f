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
#include "engine/remote/command.hpp"
#include "providers/cards/card.hpp"
#include "providers/esx/parsers/esxcfg_module.hpp"
#include "providers/esx_classic/parsers/esxcfg_lists.hpp"

namespace fabric::providers::esx_classic {

// The vendor's bundles: the driver of the cards, and the modules on top of it.
inline constexpr const char* kCardDriver = "mlx4_en";
inline constexpr const char* kIpoibDriver = "ib_ipoib";
inline constexpr const char* kPortTypes = "port_types";

// "VMware ESX 4.0.0 build-164009": the probe "esx-version".
Probe version_probe();
Result<std::string> version_of(const NodeFacts& facts);

// Probes of cards, their GUIDs and NICs.
std::vector<Probe> card_probes();
// The cards in order of address. On a host without sysfs each has two ports behind one function, of
// which only the numbers are known; a node GUID where there is one card and the driver tells one.
Result<std::vector<Card>> cards_of(const NodeFacts& facts);
Result<std::vector<EsxcfgNic>> nics_of(const NodeFacts& facts);
// The NICs that the options of the cards' drivers concern.
std::vector<std::string> nics_of_drivers(const NodeFacts& facts);
// The NICs of a port of a card: "vmnic13.p1" (E-esx-nic-names).
std::vector<EsxcfgNic> nics_of_port(
    const std::vector<EsxcfgNic>& nics, const Card& card, std::uint32_t port);
// The resource without selectors that the host can't show: before its drivers are installed no tool
// shows a node GUID, and it is not compared.
Resource bound_by_what_is_known(Resource resource, const std::vector<Card>& cards);

// Probes of modules: which exist, which run, their options for the next load, and what was changed
// since the boot.
std::vector<Probe> module_probes();
// The module; nullopt: the host does not have it, since no bundle has brought it. Fails if unknown.
Result<std::optional<EsxModule>> module_of(const NodeFacts& facts, std::string_view module);
Result<bool> runs(const NodeFacts& facts, std::string_view module);
// True if an option was changed since the boot, so that the module runs with another value. `what`:
// a module, or "bundles".
Result<bool> is_pending(const NodeFacts& facts, std::string_view what, std::string_view key);

// The option string of a module, changed so that everything else in it stays
// (E-esx-module-options).
struct OptionEdit {
  std::string key;                   // letters, digits and "_"
  std::optional<std::string> value;  // nullopt: it goes. No blanks, no quotes
  // For an option that is a list of triplets: the first two numbers of the triplet to change,
  // "13,1". `value` is its third number; the other triplets stay.
  std::string triplet{};
};

// Reads the whole string on the node, changes it, writes it and reads it again; notes the changed
// options since the boot. Two changes of one plan keep each other's options.
remote::Argv edit_options(std::string_view module, const std::vector<OptionEdit>& edits);
// Makes the boot load the module, or not.
remote::Argv enable_module(std::string_view module, bool enabled);

}  // namespace fabric::providers::esx_classic
