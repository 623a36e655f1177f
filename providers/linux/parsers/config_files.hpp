// SPDX-License-Identifier: Apache-2.0
// Files of network configuration as the tools that own them read them, for `fabric parse`. What the
// back ends make of them is theirs (interface/backend.hpp); nothing is left out here.
#pragma once

#include <string_view>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// All fail with ErrorCode::invalid, "line N: ...", on a line that has no place in the format.

// {"stanzas": [{"keyword", "words", "line", "options": [{"key", "value", "line"}]}]}
Result<Value> parse_interfaces(std::string_view text);
// {"values": {"DEVICE": "bond0"}}: the last of equal keys, as in the shell that sources it.
Result<Value> parse_ifcfg(std::string_view text);
// {"sections": [{"name", "line", "entries": [{"key", "value", "line"}]}]}, in order, for the same
// section or key may stand more than once.
Result<Value> parse_networkd(std::string_view text);
// The same; a P_Key that is no decimal number is refused, as NetworkManager refuses it.
Result<Value> parse_keyfile(std::string_view text);
// The document as JSON. It must have `network`, a mapping.
Result<Value> parse_netplan(std::string_view text);

}  // namespace fabric::providers
