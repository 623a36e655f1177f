// SPDX-License-Identifier: Apache-2.0
// The name and the model of a found card in a document.
#pragma once

#include <cstdint>
#include <string>

#include "engine/model/hardware.hpp"
#include "providers/parsers/mlxconfig_query.hpp"

namespace fabric::providers {

// By the tool's table of a card, as it runs; false where no tool told (`settings` is null).
bool is_set(const SettingsTable* settings, const char* parameter);

// VPI and EN cards have one PCI device id, so `vpi` decides; null where the hardware table has no
// such card.
const HardwareModel* model_of_device(std::uint32_t device_id, bool vpi);

// "cx5" of "connectx-5": what people call it.
std::string short_name(const std::string& family);

}  // namespace fabric::providers
