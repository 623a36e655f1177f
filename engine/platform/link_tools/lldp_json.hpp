// SPDX-License-Identifier: Apache-2.0
// Parser of the output of `lldpcli -f json0 show neighbors details`.
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/platform/neighbour.hpp"
#include "engine/value/value.hpp"

namespace fabric::platform {

// The neighbours in order of the text. Takes the uniform lists of json0 and the irregular objects
// of plain json. Fails with ErrorCode::invalid if it is not JSON or has no "lldp".
Result<std::vector<Neighbour>> parse_lldp_json(std::string_view text);

// For `fabric parse lldpctl-json`: a list of maps, without members that the frame lacks.
Result<Value> lldp_json_to_value(std::string_view text);

}  // namespace fabric::platform
