// SPDX-License-Identifier: Apache-2.0
// The lines of MLNX-OS and Onyx over its JSON interface (E-onyx-https). What it answers in pieces
// is written down again as the prompt prints it, so that one reader does for both.
#pragma once

#include <string>

#include "engine/remote/lines_by_request.hpp"
#include "engine/value/value.hpp"

namespace fabric::platform {

const remote::LinesByRequest& mlnxos_json_lines();

// "data" of an answer as lines: "Key: value", what belongs to a key indented below it.
std::string text_of_data(const Value& data);

}  // namespace fabric::platform
