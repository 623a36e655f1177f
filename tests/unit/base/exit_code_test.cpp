// SPDX-License-Identifier: Apache-2.0
#include "engine/base/exit_code.hpp"

#include <algorithm>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fabric;

namespace {

// From worst to best, by their numbers: what scripts and people go by.
const std::vector<int> kRanking{255, 130, 143, 12, 11, 10, 3, 5, 6, 7, 13, 4, 9, 8, 1, 2, 0};

ExitCode code(int number) {
  return static_cast<ExitCode>(number);
}

}  // namespace

TEST_CASE("of any two exit codes the one that ranks higher is the one to end with", "[base]") {
  for (std::size_t i = 0; i < kRanking.size(); ++i) {
    for (std::size_t k = 0; k < kRanking.size(); ++k) {
      const int expected = kRanking[std::min(i, k)];
      CAPTURE(kRanking[i], kRanking[k]);
      CHECK(static_cast<int>(worse(code(kRanking[i]), code(kRanking[k]))) == expected);
      CHECK((severity(code(kRanking[i])) > severity(code(kRanking[k]))) == (i < k));
    }
  }
}

TEST_CASE("every exit code has words of its own", "[base]") {
  std::vector<std::string_view> words;
  for (const int number : kRanking) {
    CHECK(std::find(words.begin(), words.end(), reason(code(number))) == words.end());
    words.push_back(reason(code(number)));
  }
}

TEST_CASE("an error ends the program with the code of its kind", "[base]") {
  CHECK(exit_code_for({ErrorCode::invalid, ""}) == ExitCode::invalid);
  CHECK(exit_code_for({ErrorCode::not_found, ""}) == ExitCode::invalid);
  CHECK(exit_code_for({ErrorCode::unreachable, ""}) == ExitCode::unreachable);
  CHECK(exit_code_for({ErrorCode::timed_out, ""}) == ExitCode::timed_out);
  CHECK(exit_code_for({ErrorCode::stale, ""}) == ExitCode::stale);
  CHECK(exit_code_for({ErrorCode::locked, ""}) == ExitCode::locked);
  CHECK(exit_code_for({ErrorCode::forbidden, ""}) == ExitCode::policy);
  CHECK(exit_code_for({ErrorCode::cancelled, ""}) == ExitCode::cancelled);
  CHECK(exit_code_for({ErrorCode::denied, ""}) == ExitCode::failed);
  CHECK(exit_code_for({ErrorCode::internal, ""}) == ExitCode::bug);
}
