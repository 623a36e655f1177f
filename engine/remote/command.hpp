// SPDX-License-Identifier: Apache-2.0
// A command that runs on a node, and its result. Nothing here knows of resources, plans or
// providers.
#pragma once

#include <compare>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/clock.hpp"

namespace fabric::remote {

// A program of fabric for a shell, one of the files NAME.sh in the folders `sh`, compiled in
// (cmake/FabricEmbed.cmake): `sh::lock_take` of scripts.hpp beside lock_take.sh.
struct Script {
  std::string_view name;  // "lock_take"
  std::string_view text;
};

// One word of a command: a text, or a script. Running a command takes the word's text; storing it
// can name a script, because its text is the same wherever it is run.
class Word {
 public:
  Word() = default;
  Word(std::string text) : text_{std::move(text)} {}
  Word(std::string_view text) : text_{text} {}
  Word(const char* text) : text_{text} {}
  Word(const Script& script) : script_{&script} {}
  Word(const Script&& script) = delete;

  std::string_view text() const { return script_ != nullptr ? script_->text : text_; }
  operator std::string_view() const { return text(); }
  operator std::string() const { return std::string{text()}; }
  const Script* script() const { return script_; }  // null for a text

  bool empty() const { return text().empty(); }
  bool starts_with(std::string_view head) const { return text().starts_with(head); }
  std::size_t find(std::string_view part) const { return text().find(part); }

  friend bool operator==(const Word& left, const Word& right) {
    return left.text() == right.text();
  }
  template <class Text>
  requires std::convertible_to<Text, std::string_view>
  friend bool operator==(const Word& left, const Text& right) {
    return left.text() == std::string_view{right};
  }
  friend std::strong_ordering operator<=>(const Word& left, const Word& right) {
    return left.text() <=> right.text();
  }

 private:
  std::string text_;
  const Script* script_ = nullptr;
};

// The words of a command. A script gets its parameters as words behind it, $1 and on, and never
// within its text: {"sh", "-c", sh::lock_take, "fabric-lock", run}.
using Argv = std::vector<Word>;

// True if a shell runs a script of fabric, {"sh", "-c", SCRIPT, CALLED, ARGUMENTS...}: the form of
// scripts in plans.
bool is_script_run(const Argv& argv);

// A script from a plan file, which need not be one of this program's. Kept to the end of the
// process; equal ones once.
const Script& kept_script(std::string_view name, std::string_view text);

struct Command {
  Argv argv;  // never a shell string; quoted by remote/shell
  std::string standard_input;
  Duration timeout{30'000};  // of the whole command, from its start
  bool operator==(const Command&) const = default;
};

struct CommandOutput {
  int exit_status = 0;  // 128 + n if signal n ended it, as in a shell
  std::string standard_output;
  std::string standard_error;
  bool operator==(const CommandOutput&) const = default;
};

}  // namespace fabric::remote
