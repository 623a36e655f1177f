// SPDX-License-Identifier: Apache-2.0
// One parameter of one card, in its two layers: the running value and that of the next boot.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/resource.hpp"
#include "engine/provider/observation.hpp"
#include "providers/cards/card.hpp"
#include "providers/cards/card_settings.hpp"

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

// Of a parameter of keys::kAtLeast of the resource more is right too, and reads as what is desired.
LayeredReading or_more(
    const Resource& resource,
    const std::string& parameter,
    const Value& desired,
    LayeredReading observed);

// The link type that the kernel shows of a port: 1 InfiniBand, 2 Ethernet, as mlxconfig and the
// driver mlx4_core number them. Nullopt for other parameters and where no driver shows it.
std::optional<std::int64_t> shown_link_type(std::string_view parameter, const Card& card);

// The card can't show what it runs with and nothing else can, so a set must leave a record.
bool needs_record(const std::string& parameter, const CardSettings& settings, const Card& card);

// What our record says was set, of the parameters that every set records (needs_record).
std::map<std::string, Value, std::less<>> recorded_settings(
    const Resource& resource, const CardSettings& settings, const Card& card);

// The parameters beside those of the resource of which the card shows that the next boot will
// change them.
std::map<std::string, LayeredReading, std::less<>> waiting_settings(
    const Resource& resource, const CardSettings& settings);

inline constexpr const char* kAdvancedPciSettings = "ADVANCED_PCI_SETTINGS";
inline constexpr const char* kForceEthernetSubclass = "FORCE_ETH_PCI_SUBCLASS";

}  // namespace fabric::providers
