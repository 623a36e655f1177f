// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/report/rehearse/rehearsals.hpp"

#include "tests/support/catch.hpp"

using namespace fabric;

namespace {

std::string text_of(const rehearse::Rehearsal& rehearsal, const plans::Plan& plan = {}) {
  return report::rehearsal_text(rehearsal, {plan, {}, 0, {}, "fabric rehearse"}, {}).str();
}

rehearse::SeedResult ended(std::uint64_t seed, ExitCode exit, bool again) {
  rehearse::SeedResult result;
  result.seed = seed;
  result.first.exit = exit;
  result.again = again;
  result.converged = true;
  return result;
}

// Wherever its lines are folded.
bool has(const std::string& text, std::string_view part) {
  UNSCOPED_INFO(text);
  return fmt::format("{}", fmt::join(split_words(text), " ")).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a rehearsal fits a terminal of 80 columns, whatever its outcome") {
  rehearse::Rehearsal rehearsal;
  rehearsal.baseline = ended(0, ExitCode::done, false);
  std::uint64_t seed = 0;
  for (const ExitCode exit :
       {ExitCode::done,
        ExitCode::failed,
        ExitCode::unreachable,
        ExitCode::locked,
        ExitCode::stale,
        ExitCode::cancelled,
        ExitCode::timed_out,
        ExitCode::partly_applied,
        ExitCode::rolled_back,
        ExitCode::node_lost,
        ExitCode::not_verified})
    rehearsal.results.push_back(ended(++seed, exit, exit != ExitCode::done));
  const std::string text = text_of(rehearsal);
  CHECK(has(text, "applied in part exit 10, and a second apply completed it"));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    CAPTURE(text.substr(at, end - at));
    CHECK(end - at <= 80);
    at = end + 1;
  }
}

TEST_CASE("what was pinged on the copies is told, and what was not") {
  rehearse::Rehearsal rehearsal;
  rehearsal.baseline = ended(0, ExitCode::done, false);
  CHECK(!has(text_of(rehearsal), "ping"));
  rehearsal.paths = {2, 12, 0, {}};
  CHECK(has(text_of(rehearsal), "12 pings on the copies, with the nodes of each of 2 waves off"));
  rehearsal.paths = {1, 12, 3, {}};
  CHECK(has(text_of(rehearsal), "of one wave off (3 waves more were left out)"));
  rehearsal.paths = {0, 0, 4, {}};
  CHECK(has(text_of(rehearsal), "nothing was pinged on the copies: 4 waves"));
  const NodeName a = NodeName::parse("a").value();
  const NodeName b = NodeName::parse("b").value();
  rehearsal.paths = {1, 12, 0, {{1, "storage", {{a, "cx5", "1"}, {b, "cx5", "2"}, {}, {}}, true}}};
  CHECK(has(text_of(rehearsal), "1 not as predicted"));
}
