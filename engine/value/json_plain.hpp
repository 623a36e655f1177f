// SPDX-License-Identifier: Apache-2.0
// The fast way through a JSON text that is as nearly every one. Private to engine/value.
#pragma once

#include <optional>
#include <string_view>

#include "engine/value/value.hpp"

namespace fabric {

// What parse_json makes of the text. nullopt: it is no JSON, or something of it is out of the
// ordinary (a key twice, a byte order mark, a number beyond 64 bits, deep nesting, very many values
// for its length), which the other parser reads and judges.
std::optional<Value> read_plain_json(std::string_view text);

}  // namespace fabric
