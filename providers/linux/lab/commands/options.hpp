// SPDX-License-Identifier: Apache-2.0
// Options of a command line as GNU getopt reads them: permuted, bundled, `--` ends them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

struct OptionSyntax {
  std::string_view flags = {};                     // letters without a value
  std::string_view valued = {};                    // letters with one
  std::vector<std::string_view> long_flags = {};   // "force"
  std::vector<std::string_view> long_valued = {};  // "format": --format=x or --format x
  bool stop_at_operand = false;  // the rest belongs to another command (env, timeout, sudo)
};

struct Options {
  std::map<std::string, std::vector<std::string>> given;  // "n", "force"
  std::vector<std::string> operands;

  bool has(const std::string& name) const { return given.contains(name); }
  // The last value of the option, or `otherwise` if it was not given.
  std::string value(const std::string& name, const std::string& otherwise = {}) const;
};

// nullopt after an error message: the command ends with its own status for that, 1 or 2.
std::optional<Options> parse_options(Process& process, const OptionSyntax& syntax);

}  // namespace fabric::lab::commands
