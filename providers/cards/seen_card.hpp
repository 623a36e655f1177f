// SPDX-License-Identifier: Apache-2.0
// The name and the model in a document for a card found on a node.
#pragma once

#include <cstdint>
#include <string>

#include "engine/model/hardware.hpp"
#include "providers/parsers/mlxconfig_query.hpp"

namespace fabric::providers {

// True if the parameter is set as the card runs, by the tool's table; false if `settings` is null.
bool is_set(const SettingsTable* settings, const char* parameter);

// The hardware model of a PCI device id; `vpi` decides between VPI and EN cards, which share one.
// Null if the hardware table has no such card.
const HardwareModel* model_of_device(std::uint32_t device_id, bool vpi);

// The usual short name: "cx5" for "connectx-5".
std::string short_name(const std::string& family);

}  // namespace fabric::providers
