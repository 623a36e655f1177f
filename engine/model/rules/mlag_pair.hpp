// SPDX-License-Identifier: Apache-2.0
// Whether the two switches of a pair name each other and say the same of the pair.
#pragma once

#include "engine/model/rules/context.hpp"

namespace fabric::rules {

// `mlag-peer-mismatch`, once for the two.
void check_mlag(const Context& context, const NodeSpec& node, Diagnostics& diagnostics);

}  // namespace fabric::rules
