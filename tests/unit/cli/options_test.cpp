#include "engine/cli/terminal/options.hpp"

#include "engine/cli/exit_code.hpp"

#include "tests/support/catch.hpp"

namespace fabric::cli {

TEST_CASE("durations have units", "[cli]") {
  CHECK(*parse_duration("500ms") == Duration{500});
  CHECK(*parse_duration("30s") == Duration{30'000});
  CHECK(*parse_duration("2m") == Duration{120'000});
  CHECK(*parse_duration("1h30m") == Duration{5'400'000});
  CHECK(*parse_duration("0ms") == Duration{0});
}

TEST_CASE("what is no duration is refused, saying what one looks like", "[cli]") {
  for (const char* text : {"", "30", "s", "-1s", "1 s", "1d", "99999999999999999999h", "1s2"}) {
    const Result<Duration> parsed = parse_duration(text);
    REQUIRE_FALSE(parsed);
    CHECK(
        parsed.error().message ==
        "expected a duration as 500ms, 30s, 2m or 1h30m, found '" + std::string{text} + "'");
  }
}

TEST_CASE("of several exit codes the one that ranks first decides", "[cli]") {
  CHECK(worse(ExitCode::node_lost, ExitCode::partly_applied) == ExitCode::node_lost);
  CHECK(worse(ExitCode::not_verified, ExitCode::partly_applied) == ExitCode::partly_applied);
  CHECK(worse(ExitCode::unreachable, ExitCode::not_verified) == ExitCode::not_verified);
  CHECK(worse(ExitCode::changes, ExitCode::unreachable) == ExitCode::unreachable);
  CHECK(worse(ExitCode::failed, ExitCode::cancelled) == ExitCode::cancelled);
  CHECK(worse(ExitCode::cancelled, ExitCode::timed_out) == ExitCode::timed_out);
  CHECK(worse(ExitCode::bug, ExitCode::node_lost) == ExitCode::bug);
  CHECK(worse(ExitCode::done, ExitCode::changes) == ExitCode::changes);
}

TEST_CASE("an error ends the program with the code of its kind", "[cli]") {
  CHECK(exit_code_for({ErrorCode::invalid, ""}) == ExitCode::invalid);
  CHECK(exit_code_for({ErrorCode::not_found, ""}) == ExitCode::invalid);
  CHECK(exit_code_for({ErrorCode::stale, ""}) == ExitCode::stale);
  CHECK(exit_code_for({ErrorCode::locked, ""}) == ExitCode::locked);
  CHECK(exit_code_for({ErrorCode::forbidden, ""}) == ExitCode::policy);
  CHECK(exit_code_for({ErrorCode::internal, ""}) == ExitCode::bug);
}

}  // namespace fabric::cli
