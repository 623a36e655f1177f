// SPDX-License-Identifier: Apache-2.0
// The rules of stage verify, in the order of the folders that report them.
#pragma once

#include "engine/model/rule.hpp"

namespace fabric::verify {

RuleRows verify_rules();  // all but those of paths/
RuleRows path_rules();

}  // namespace fabric::verify
