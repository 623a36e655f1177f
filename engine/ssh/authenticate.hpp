// SPDX-License-Identifier: Apache-2.0
// Authentication: identity files, then the agent, the password last.
#pragma once

#include "engine/base/result.hpp"

namespace fabric::ssh {

class Session;

// Fails with ErrorCode::unreachable, naming what was tried and what the host offers.
Result<void> authenticate(Session& session);

}  // namespace fabric::ssh
