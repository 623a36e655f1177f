// SPDX-License-Identifier: Apache-2.0
// What a switch calls a port of its own by LLDP, against what the document calls it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/platform/neighbour.hpp"

namespace fabric::verify {

enum class Told : std::uint8_t {
  unknown,  // the two can't be compared: a MAC, a number of the vendor's own, a name by itself
  other,    // in no way to read it is it that port
  same
};

// `port` as the document keeps it: "7", "1/7", "swp4s0". The kind of the id counts: a MAC or a
// local number names no port, and then the description beside it is asked.
Told compare_port(const Neighbour& neighbour, std::string_view port);

// How to write it in a document; nullopt where it can't be read.
std::optional<std::string> told_port(const Neighbour& neighbour);

}  // namespace fabric::verify
