// What of an interface can be changed while it carries traffic, and what only a new device takes.
#pragma once

#include <string>
#include <string_view>

#include "engine/provider/change.hpp"

namespace fabric::providers {

// The name that `ip link set ... type bond` has for an option of a bond that it changes without
// interrupting what passes; null for all else.
const char* live_option(std::string_view attribute);
// Only a device that is made anew takes it, of whichever kind.
bool is_fixed(std::string_view attribute);

// All of it that is about what runs can be done on the living bond.
bool only_live_options(const Change& change);
// `primary`: what the primary slave is called now.
remote::Argv live_command(
    const Change& change, const std::string& device, const std::string& primary);

}  // namespace fabric::providers
