// SPDX-License-Identifier: Apache-2.0
// The command line as data: the content of --help, for shells and manual pages. Read from the
// declarations of the verbs, so it is always current.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace fabric::cli {

struct OptionText {
  std::vector<std::string> names;  // "--format", "-q"; the name alone of a positional: "PATH"
  std::string value;               // "FILE"; "" = a flag
  std::string description;
  std::vector<std::string> choices;
  bool positional = false, required = false, repeats = false;
};

struct CommandText {
  std::string name;  // "lab", "up" below it
  std::string summary, footer;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};

// Only the first command has the options of fabric itself; every verb takes them.
CommandText describe(const CLI::App& app);

// Scripts that complete verbs, options and their values. They call `fabric completion` for nodes,
// rules and runs.
std::string bash_completion(const CommandText& fabric);
std::string zsh_completion(const CommandText& fabric);
std::string fish_completion(const CommandText& fabric);

// Roff (man(7)): fabric(1), or for a verb fabric-VERB(1).
std::string manual_page(const CommandText& fabric, const std::string& version);
std::string manual_page(
    const CommandText& fabric, const CommandText& verb, const std::string& version);

}  // namespace fabric::cli
