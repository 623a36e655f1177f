// SPDX-License-Identifier: Apache-2.0
// Options that can be changed while an interface carries traffic, and those that need a new device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/provider/change.hpp"
#include "providers/linux/kinds/interface/link/link_config.hpp"

namespace fabric::providers {

// The name that `ip link set ... type bond` has for an option of a bond that it changes without
// interrupting what passes; null for all else.
const char* live_option(std::string_view attribute);
// Only a device that is made anew takes it, of whichever kind.
bool is_fixed(std::string_view attribute);

// All of it that is about what runs can be done on the living bond.
bool only_live_options(const Change& change);

// The rule of a table goes by its number: no back end is sure to know it any more once the file
// that it was made from is another one.
std::vector<remote::Argv> without_rules(const Change& change);
// Ends what of live_attributes() is not to run on. Rules and routes come back by `undo`; a shaper,
// a filter, a program and a VLAN that no file makes can't.
struct LiveEnd {
  std::vector<remote::Argv> steps, undo;
};
LiveEnd ending(const Change& change, const std::string& device);
// All of it that is about what runs is the table by source, which no packet on its way notices.
bool only_source_table(const Change& change);
// Its route and its rule; the rule must not be there yet.
std::vector<remote::Argv> source_commands(const LinkConfig& config, const std::string& device);

// The value where nothing was ever configured; nullopt: unknown.
std::optional<Value> kernels_own(std::string_view attribute, const LinkTarget& target);
// The value that the kernel had before fabric, and gets again now that no document asks for the
// value in fabric's file. Null: none. Nullopt: the value stays as it is, or it is unknown.
std::optional<Value> reset_to(
    const Change& change, const LinkTarget& target, std::string_view attribute);

// All options of the bond `device` that can be changed alive: those that are wanted, and what the
// kernel had before us for those that are not any more. `primary`: what the primary slave is called
// now. Empty if no such option changes.
std::vector<remote::Argv> live_commands(
    const Change& change,
    const LinkTarget& target,
    const std::string& device,
    const std::string& primary);

}  // namespace fabric::providers
