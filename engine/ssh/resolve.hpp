// SPDX-License-Identifier: Apache-2.0
// Host names to addresses, with a deadline.
#pragma once

#include <memory>

#include <netdb.h>

#include "engine/base/result.hpp"
#include "engine/ssh/config/destination.hpp"
#include "engine/ssh/environment.hpp"

namespace fabric::ssh {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// The stream addresses of the destination's host and port, at least one.
// Fails with ErrorCode::unreachable, or cancelled.
Result<Addresses> resolve(
    const Destination& destination, TimePoint deadline, const Environment& environment);

}  // namespace fabric::ssh
