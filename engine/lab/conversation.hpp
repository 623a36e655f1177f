// SPDX-License-Identifier: Apache-2.0
// Lines at a prompt of a simulated machine, as remote::step::Converse wants them: by what its
// dialect says of prompts, pager and questions, and by nothing else.
#pragma once

#include <string_view>

#include "engine/lab/lab.hpp"
#include "engine/lab/machine/machine.hpp"
#include "engine/remote/step.hpp"

namespace fabric::lab {

// Delivery::stall if no prompt comes that the dialect knows.
ExecResult converse(
    Machine& machine,
    const Network& network,
    std::string_view user,
    const remote::step::Converse& talk);

}  // namespace fabric::lab
