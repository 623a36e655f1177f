// SPDX-License-Identifier: Apache-2.0
// The settings of a Linux host's cards: the tool's tables and fabric's own records.
#pragma once

#include <string>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/provider.hpp"
#include "providers/cards/card_settings.hpp"

namespace fabric::providers {

std::vector<Probe> settings_probes();
CardSettings settings_of(const NodeFacts& facts, const PciAddress& card);

std::string record_path(const PciAddress& card);
std::string boot_id_path(const PciAddress& card);
// The file of former values, and of the boot in which some were given back (former_values.hpp).
std::string before_path(const PciAddress& card);
std::string given_back_path(const PciAddress& card);

}  // namespace fabric::providers
