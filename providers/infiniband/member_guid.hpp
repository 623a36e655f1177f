// SPDX-License-Identifier: Apache-2.0
// The GUID by which OpenSM's files name a port of the document.
#pragma once

#include <string>

#include "engine/base/result.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

// "0x0002c903000e0b73" of "n1/cx5/1", or of "leaf1" for the port 0 of a switch. `port_guids`: as
// Resource::binding has them (keys::kPortGuids). Fails with ErrorCode::invalid, naming the port, if
// it is not known.
Result<std::string> member_guid(const Map& port_guids, const std::string& port);

}  // namespace fabric::providers
