// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/failure.hpp"

#include <cctype>
#include <exception>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::ssh {

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::name:
      return "name";
    case Stage::connect:
      return "connect";
    case Stage::jump:
      return "jump";
    case Stage::banner:
      return "no SSH greeting";
    case Stage::key_exchange:
      return "key exchange";
    case Stage::host_key:
      return "host key";
    case Stage::authentication:
      return "authentication";
    case Stage::channel:
      return "channel";
    case Stage::command:
      return "command";
  }
  return "";
}

Error unreachable(const Destination& destination, Stage stage, std::string_view what) {
  std::string message = fmt::format("{}: {}: {}", destination.name, to_string(stage), what);
  if (!destination.notes.empty()) message += fmt::format(" ({})", join(destination.notes, "; "));
  return {ErrorCode::unreachable, std::move(message)};
}

std::string no_answer_within(Duration patience) {
  return "no answer within " + format_duration(patience);
}

std::string system_message(int number) {
  std::string message = std::generic_category().message(number);
  if (!message.empty()) message[0] = static_cast<char>(std::tolower(message[0]));
  return message;
}

Error stopped(const Destination& destination, Stage stage) {
  return {
      ErrorCode::cancelled, fmt::format("{}: {}: abandoned", destination.name, to_string(stage))};
}

std::string what_was_thrown() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "this machine has no memory left for the session";
  } catch (const std::exception& failure) {
    return fmt::format("local error: {}", failure.what());
  } catch (...) {
    return "local error";
  }
}

}  // namespace fabric::ssh
