// The rules of stage verify, in the order of the folders that report them.
#pragma once

#include "engine/model/rule.hpp"

namespace fabric::verify {

RuleRows verify_rules();

}  // namespace fabric::verify
