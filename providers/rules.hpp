// SPDX-License-Identifier: Apache-2.0
// The rules whose findings these providers report, in the order of the folders that report them.
#pragma once

#include "engine/model/rule.hpp"

namespace fabric::providers {

RuleRows provider_rules();

}  // namespace fabric::providers
