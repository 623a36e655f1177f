// SPDX-License-Identifier: Apache-2.0
// Work: the commands that a machine runs over one session; a fault of the lab applies to all of
// them. Private to engine/lab except for its types.
#pragma once

#include <string>
#include <string_view>

#include "engine/lab/lab.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/remote/step.hpp"

namespace fabric::lab {

// What a fault may be limited to, and what a message shows: the command line, the lines, "GET /x".
std::string text_of(const Work& work);
// The connection breaks half-way: the half that arrives. False: nothing of it can be cut in two.
bool tear(Work& work);

// Lets the machine do it under all present faults. `session` is that of TypedKeys, else null.
ExecResult perform_on(
    Machine& machine,
    const Network& network,
    std::string_view user,
    const Work& work,
    PromptSession* session);

}  // namespace fabric::lab
