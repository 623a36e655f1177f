// SPDX-License-Identifier: Apache-2.0
// What must be true of every plan, from any source. Checked before a plan is handed out (then a
// violation is a bug) and after one was read (then it is a bad file).
#pragma once

#include <string>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"
#include "plans/plan.hpp"

namespace fabric::plans {

// The first contradiction, naming the action or change; "" = none. A plan is sound if
//  - ids are unique, and edges lead only to actions that stand earlier and in no later wave;
//  - every change without a reason not to is covered by an action of its node;
//  - a node reboots at most once, unless each of its reboots belongs to a named sequence;
//  - whatever interrupts traffic belongs to a wave that names its node, and no two nodes of a wave
//    share a mutex.
std::string find_contradiction(const Plan& plan);

// That the file is of a version 1.x; fails with ErrorCode::invalid.
Result<void> check_version(const Value& root);
// The sentence about a file with parts that this program does not know. Such a part may be the one
// that keeps a node safe, so none is left out.
Error not_understood(const Value& root, Error error);

}  // namespace fabric::plans
