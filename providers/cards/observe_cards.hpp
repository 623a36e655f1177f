// SPDX-License-Identifier: Apache-2.0
// The adapters of a node and their settings as a platform's tools show them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/resource.hpp"
#include "engine/provider/observation.hpp"
#include "providers/cards/card.hpp"
#include "providers/cards/card_settings.hpp"

namespace fabric::providers {

// Compares the cards of a node with the adapters that a document has there, on every platform with
// cards.
// One observation for each resource, in order. `probed`: the node's PCI devices could be read, so
// that a card that is not in `cards` is absent. Diagnostics: adapter-missing, adapter-ambiguous,
// firmware-too-old.
std::vector<Observation> observe_adapters(
    std::span<const Resource> wanted,
    const std::vector<Card>& cards,
    bool probed,
    Diagnostics& diagnostics);

// One parameter of one card, in its two layers: the running value and that of the next boot.
// `desired` only chooses the spelling: a value desired as a name ("ETH") is read as a name where
// the tool tells one, otherwise values are numbers.
//
// running comes from, in this order: the Current column; what the kernel shows of the parameter
// (link type, SR-IOV); fabric's record of a `set` before the last boot. Otherwise it is unknown.
// next_boot is absent for a parameter that shows itself only after ADVANCED_PCI_SETTINGS=1.
LayeredReading observe_setting(
    const std::string& parameter,
    const Value& desired,
    const CardSettings& settings,
    const Card& card);

// For a parameter in keys::kAtLeast of the resource: a larger value reads as the desired one.
LayeredReading or_more(
    const Resource& resource,
    const std::string& parameter,
    const Value& desired,
    LayeredReading observed);

// The link type of a port as the kernel shows it: 1 InfiniBand, 2 Ethernet, as mlxconfig and the
// driver mlx4_core number them. Nullopt for other parameters and where no driver shows the type.
std::optional<std::int64_t> shown_link_type(std::string_view parameter, const Card& card);

// True if neither the card nor anything else shows the running value: a set must leave a record.
bool needs_record(const std::string& parameter, const CardSettings& settings, const Card& card);

// The values in fabric's record, of the parameters that every set records (needs_record).
std::map<std::string, Value, std::less<>> recorded_settings(
    const Resource& resource, const CardSettings& settings, const Card& card);

// The parameters that are not in the resource and that, as the card shows, the next boot changes.
std::map<std::string, LayeredReading, std::less<>> waiting_settings(
    const Resource& resource, const CardSettings& settings);

inline constexpr const char* kAdvancedPciSettings = "ADVANCED_PCI_SETTINGS";
inline constexpr const char* kForceEthernetSubclass = "FORCE_ETH_PCI_SUBCLASS";

}  // namespace fabric::providers
