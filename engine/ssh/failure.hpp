// SPDX-License-Identifier: Apache-2.0
// How far a connection came, and the errors that say so.
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
  banner,   // "SSH-2.0-..." of the other side
  key_exchange,
  host_key,
  authentication,
  channel,  // opening the channel for a command
  command
};
std::string_view to_string(Stage stage);

// No session: nothing ran. "pve1: key exchange: no answer within 10.0 s (~/.ssh/config:3: ...)"
Error unreachable(const Destination& destination, Stage stage, std::string_view what);
std::string no_answer_within(Duration patience);
// errno in words, lower case.
std::string system_message(int number);
// All sessions have to give up.
Error stopped(const Destination& destination, Stage stage);

// The present exception, in words. REQUIRES: there is one.
std::string what_was_thrown();

}  // namespace fabric::ssh
