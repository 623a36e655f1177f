// SPDX-License-Identifier: Apache-2.0
// The conditions that every plan meets. A plan is checked before it is handed out (a violation is a
// bug) and after it was read (a violation is a bad file).
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

// Fails with ErrorCode::invalid if the file's format_version is not 3.x.
Result<void> check_version(const Value& root);
// The error for a file with parts that this program does not know. Such a part may be the one that
// keeps a node safe, so none is ignored.
Error not_understood(const Value& root, Error error);

}  // namespace fabric::plans
