// SPDX-License-Identifier: Apache-2.0
// The partitions of a subnet manager as a plan shows them.
#pragma once

#include <string>

#include "engine/value/value.hpp"

namespace fabric::report {

// Attribute `partitions` of the kind subnet_manager; anything else is shown as values are.
// "Default 0x7fff ipoib mtu 4096: ALL full; storage 0x0010: pve1/cx5/1 full, pve2/cx5/1 limited"
std::string partitions_text(const Value& partitions);

}  // namespace fabric::report
