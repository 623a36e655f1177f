// SPDX-License-Identifier: Apache-2.0
// A TCP connection with a deadline.
#pragma once

#include "engine/base/file_descriptor.hpp"
#include "engine/base/result.hpp"
#include "engine/ssh/config/destination.hpp"
#include "engine/ssh/environment.hpp"

namespace fabric::ssh {

// The interval of polling for a stop, if no signal announces it.
inline constexpr int kLookMilliseconds = 100;

enum class Wait : std::uint8_t { ready, deadline, stopped };
// Waits until `descriptor` has one of `events` (of poll), the deadline or the stop signal.
Wait wait_for(int descriptor, short events, TimePoint deadline, const Environment& environment);

// Resolves and connects, each address of the name in turn, all within options.connect_timeout.
// The socket is non-blocking and notices by itself, within half a minute, a peer that has vanished.
// Fails with ErrorCode::unreachable, or cancelled.
Result<FileDescriptor> connect_tcp(const Destination& destination, const Environment& environment);

}  // namespace fabric::ssh
