// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/options.hpp"

#include "tests/support/catch.hpp"

namespace fabric::cli {

TEST_CASE("durations have units", "[cli]") {
  CHECK(*parse_duration("500ms") == Duration{500});
  CHECK(*parse_duration("30s") == Duration{30'000});
  CHECK(*parse_duration("2m") == Duration{120'000});
  CHECK(*parse_duration("1h30m") == Duration{5'400'000});
  CHECK(*parse_duration("7d") == Duration{604'800'000});
  CHECK(*parse_duration("0ms") == Duration{0});
}

TEST_CASE("what is no duration is refused, saying what one looks like", "[cli]") {
  for (const char* text : {"", "30", "s", "-1s", "1 s", "1w", "99999999999999999999h", "1s2"}) {
    const Result<Duration> parsed = parse_duration(text);
    REQUIRE_FALSE(parsed);
    CHECK(
        parsed.error().message ==
        "expected a duration as 500ms, 30s, 2m or 1h30m, found '" + std::string{text} + "'");
  }
}

}  // namespace fabric::cli
