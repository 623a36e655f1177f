// Passwords come from the environment or from a command of the user's, never from the document.
#pragma once

#include "engine/base/result.hpp"
#include "engine/base/secret.hpp"
#include "engine/model/spec.hpp"

namespace fabric::cli {

// The first line of what the command prints, or the variable. Fails with ErrorCode::not_found if
// the variable is not set, denied if the command fails; the message never has the secret.
Result<Secret> read_password(const PasswordSource& source);

}  // namespace fabric::cli
