// One parameter of one card, in its two layers: what it runs with and what the next boot will use.
#pragma once

#include <string>

#include "engine/provider/observation.hpp"
#include "providers/adapter/inventory.hpp"
#include "providers/settings/card_settings.hpp"

namespace fabric::providers {

// `desired` only chooses the spelling: a parameter wanted by name ("ETH") is read by name where the
// tool tells one, else values are numbers.
//
// running comes from, in this order: the Current column; what the kernel shows of it (link type,
// SR-IOV); our record of a `set` before the last boot. Without any of these it is unknown.
// next_boot is absent for a parameter that shows itself only after ADVANCED_PCI_SETTINGS=1.
LayeredReading observe_setting(
    const std::string& parameter,
    const Value& desired,
    const CardSettings& settings,
    const Card& card);

// The same of a card whose driver sets its link types: running only, from the kernel.
LayeredReading shown_by_driver(const std::string& parameter, const Card& card);

// The card can't show what it runs with and nothing else can, so a set must leave a record.
bool needs_record(const std::string& parameter, const CardSettings& settings, const Card& card);

inline constexpr const char* kAdvancedPciSettings = "ADVANCED_PCI_SETTINGS";
inline constexpr const char* kForceEthernetSubclass = "FORCE_ETH_PCI_SUBCLASS";

}  // namespace fabric::providers
