// SPDX-License-Identifier: Apache-2.0
// The options of every verb.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/base/result.hpp"

namespace fabric::cli {

struct GlobalOptions {
  std::string directory;   // --chdir
  std::string started_in;  // the directory before that
  bool json = false;
  bool no_color = false;
  bool quiet = false;
  bool verbose = false;
  bool log_shown = false;  // -vv: the lines of the log on standard error as well
  bool no_input = false;
  std::size_t parallelism = 64;
  Duration timeout{60'000};  // per node, for everything that is read from it at once
  bool lab = false;
  std::string facts;  // "" = ask the nodes
  std::string log;    // "" = none is kept
  // The document may name programs, variables and files of this machine (--trust-document).
  bool trust_document = false;
  std::vector<std::string> ask_password;  // node sets
  std::string credentials;                // a file; "" = none
};

// "500ms", "30s", "2m", "1h", "1h30m", "7d"; a number without a unit is refused.
Result<Duration> parse_duration(std::string_view text);

}  // namespace fabric::cli
