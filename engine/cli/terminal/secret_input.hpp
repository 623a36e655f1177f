// SPDX-License-Identifier: Apache-2.0
// Reads a password from the keyboard.
#pragma once

#include "engine/base/result.hpp"
#include "engine/base/secret.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::cli {

// Asks on standard error and reads a line from the terminal at standard input without echo. Fails
// with ErrorCode::invalid if standard input is no terminal, cancelled if Ctrl-C is typed or the
// input ends.
Result<Secret> ask_secret(const report::Text& question);

}  // namespace fabric::cli
