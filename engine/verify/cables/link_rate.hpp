// SPDX-License-Identifier: Apache-2.0
// Width and speed of an InfiniBand link against what the document asks for.
#pragma once

#include <string>

#include "engine/verify/cables/wire_ports.hpp"

namespace fabric::verify {

// The fault of the link between two ports, "expected 100 Gb/s, found 4xQDR, 40 Gb/s"; "" if there
// is none. `declared` is the cable's `speed`: "100G", "EDR", or "" for none. Without a declared
// speed two links are still wrong: one of a single lane, because cables have four, and one whose
// ends say that both could do more.
std::string link_lack(const std::string& declared, const WirePort& a, const WirePort& b);

}  // namespace fabric::verify
