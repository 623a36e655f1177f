// SPDX-License-Identifier: Apache-2.0
// The stages of a connection, and the errors that name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/clock.hpp"
#include "engine/base/error.hpp"
#include "engine/ssh/config/destination.hpp"

namespace fabric::ssh {

enum class Stage : std::uint8_t {
  name,     // resolving the host's name
  connect,  // TCP
  jump,     // the channel through the jump host
  banner,   // "SSH-2.0-..." from the other side
  key_exchange,
  host_key,
  authentication,
  channel,  // opening the channel for a command
  command
};
std::string_view to_string(Stage stage);

// Nothing ran: "pve1: key exchange: no answer within 10.0 s (~/.ssh/config:3: ...)"
Error unreachable(const Destination& destination, Stage stage, std::string_view what);
std::string no_answer_within(Duration patience);
// The text of an errno, in lower case.
std::string system_message(int number);
// The error of a session that has to give up because of StopSignal.
Error stopped(const Destination& destination, Stage stage);

// The text of the current exception. REQUIRES: there is one.
std::string what_was_thrown();

}  // namespace fabric::ssh
