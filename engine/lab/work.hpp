// SPDX-License-Identifier: Apache-2.0
// Work: the commands that a machine runs in one session; faults of the lab apply to all of them.
// Private to engine/lab except for its types.
#pragma once

#include <string>
#include <string_view>

#include "engine/lab/lab.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/remote/step.hpp"

namespace fabric::lab {

// The text in messages, which a fault can be limited to: the command line, the lines, "GET /x".
std::string text_of(const Work& work);
// Cuts the work to the half that arrives when the connection breaks. False: it has no halves.
bool tear(Work& work);

// Runs the work on the machine under all present faults. `session`: that of TypedKeys, else null.
ExecResult perform_on(
    Machine& machine,
    const Network& network,
    std::string_view user,
    const Work& work,
    PromptSession* session);

}  // namespace fabric::lab
