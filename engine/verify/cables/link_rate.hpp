// SPDX-License-Identifier: Apache-2.0
// Width and speed of an InfiniBand link against what the document asks for.
#pragma once

#include <string>

#include "engine/verify/cables/wire_ports.hpp"

namespace fabric::verify {

// What is wrong with the link between two ports, "expected 100 Gb/s, found 4xQDR, 40 Gb/s"; "" if
// nothing is. `declared` is the cable's `speed`: "100G", "EDR", or "" for none. Without it a link
// of one lane is wrong all the same, for cables have four, and one whose ends say that both could
// do more.
std::string link_lack(const std::string& declared, const WirePort& a, const WirePort& b);

}  // namespace fabric::verify
