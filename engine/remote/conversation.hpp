// SPDX-License-Identifier: Apache-2.0
// Types the lines of step::Converse at a prompt, by the rules of the dialect alone. Real machines
// and simulated ones differ only in the terminal.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/remote/runner.hpp"

namespace fabric::remote {

// Whether the machine waits, and for which input, by the last line of a text without line end.
enum class Waits : std::uint8_t { no, at_prompt, for_key };

// The text without carriage returns, escape sequences and the characters that a backspace deletes.
std::string plain_text(std::string_view shown);
// REQUIRES: plain text.
Waits waits(const step::Dialect& dialect, std::string_view plain);

// Types keys ("" = none: only the output after the login) and returns all output until the machine
// waits for input. nullopt: it never did, or the session ended.
using Terminal = std::function<std::optional<std::string>(const std::string& keys)>;

struct Conversation {
  bool complete = false;  // false: no prompt came back
  bool begun = false;     // a line of the step was sent
  CommandOutput output;
  std::vector<Reply> replies;
};

Conversation converse(const step::Converse& talk, const Terminal& terminal);

}  // namespace fabric::remote
