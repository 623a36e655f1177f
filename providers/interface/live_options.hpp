// What of an interface can be changed while it carries traffic, and what only a new device takes.
#pragma once

#include <string_view>

namespace fabric::providers {

// The name that `ip link set ... type bond` has for an option of a bond that it changes without
// interrupting what passes; null for all else.
const char* live_option(std::string_view attribute);
// Only a device that is made anew takes it, of whichever kind.
bool is_fixed(std::string_view attribute);

}  // namespace fabric::providers
