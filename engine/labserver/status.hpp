// SPDX-License-Identifier: Apache-2.0
// What the control socket answers.
#pragma once

#include <map>
#include <string>

#include "engine/base/node_name.hpp"
#include "engine/lab/lab.hpp"
#include "engine/value/value.hpp"

namespace fabric::labserver {

using Addresses = std::map<NodeName, std::string>;

// {"nodes": {NAME: {power, address, boots, fault}}, "monitor": {...}}
Value status_of(const lab::Lab& lab, const Addresses& addresses);

// Performs "status", "fault" or "recable" and gives the answer, {"error", "code"} on failure.
Value perform_request(const Value& request, lab::Lab& lab, const Addresses& addresses);

}  // namespace fabric::labserver
