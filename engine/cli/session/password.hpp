// SPDX-License-Identifier: Apache-2.0
// Passwords come from the environment, from a command or from the operator, never from the
// document.
#pragma once

#include <string>

#include "engine/base/clock.hpp"
#include "engine/base/result.hpp"
#include "engine/base/secret.hpp"
#include "engine/model/spec.hpp"
#include "engine/ssh/stop_signal.hpp"

namespace fabric::cli {

// The first line of the command's output within `timeout`, or the value of the variable. Fails with
// ErrorCode::not_found if the variable is not set, denied if the command fails or prints nothing,
// timed_out or cancelled if it was ended; the message never has the secret.
Result<Secret> read_password(
    const PasswordSource& source, const Clock& clock, Duration timeout, ssh::StopSignal& stop);

// The value of a variable of this program's environment.
Result<Secret> password_in_variable(const std::string& name);

}  // namespace fabric::cli
