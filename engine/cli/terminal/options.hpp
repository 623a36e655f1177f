// What every verb understands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/clock.hpp"
#include "engine/base/result.hpp"

namespace fabric::cli {

struct GlobalOptions {
  std::string directory;  // --chdir
  bool json = false;
  bool no_color = false;
  bool quiet = false;
  bool verbose = false;
  bool no_input = false;
  std::size_t parallelism = 64;
  Duration timeout{60'000};  // per node, for everything that is read from it at once
  bool lab = false;
  std::string facts;  // "" = ask the nodes
};

// "500ms", "30s", "2m", "1h", "1h30m"; a number alone is refused, as it has no unit.
Result<Duration> parse_duration(std::string_view text);

}  // namespace fabric::cli
