// SPDX-License-Identifier: Apache-2.0
// What sets the parameters of one card by its firmware tool.
#pragma once

#include "engine/provider/change.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"

namespace fabric::providers {

// Beside the parameters: whether what the document wants was recorded, and in which boot. What
// recording an already armed value is judged by; nothing else would differ after it.
inline constexpr const char* kRecord = "record";
Reading record_reading(const Resource& resource, const CardSettings& settings);

// The parameters alone, with the number of the factory in the place of "default" where the tool
// shows one.
Resource parameters_of(const Resource& resource, const CardSettings& settings);

// Of a parameter that is to have the factory's value. Nullopt: the tool does not show it.
std::optional<Value> factory_value(const std::string& parameter, const CardSettings& settings);

// One `set` for all that differs; two where a parameter shows itself only after another.
Result<Work> settings_work(const Change& change, const Card& card, const CardSettings& settings);

}  // namespace fabric::providers
