// SPDX-License-Identifier: Apache-2.0
// Files of network configuration for `fabric parse`, read as the tools that own them read them, and
// complete. The parts that back ends take from them are in backends/backend.hpp.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// All fail with ErrorCode::invalid, "line N: ...", on a line that has no place in the format.

// {"stanzas": [{"keyword", "words", "line", "options": [{"key", "value", "line"}]}]}
Result<Value> parse_interfaces(std::string_view text);
// {"values": {"DEVICE": "bond0"}}: the last of equal keys, as in the shell that sources the file.
Result<Value> parse_ifcfg(std::string_view text);
// {"sections": [{"name", "line", "entries": [{"key", "value", "line"}]}]}, in order, since the same
// section or key may stand more than once.
Result<Value> parse_networkd(std::string_view text);
// As parse_networkd(); a P_Key that is no decimal number is refused, as NetworkManager refuses it.
Result<Value> parse_keyfile(std::string_view text);
// The document as JSON. Fails if it has no mapping `network`.
Result<Value> parse_netplan(std::string_view text);

}  // namespace fabric::providers
