// SPDX-License-Identifier: Apache-2.0
// `isolated` on the wire: pings that must fail. One that fails proves something only where the same
// port reaches an address that it must reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/model/spec.hpp"
#include "engine/verify/report/findings.hpp"
#include "engine/verify/report/path_report.hpp"

namespace fabric::verify {

enum class Apart : std::uint8_t { unproven, broken, proven };
std::string_view to_string(Apart apart);

// The result of one pair of sides.
struct ApartReport {
  std::size_t pair = 0;  // index in spec.isolated
  std::string a, b;      // the two sides, in the document's words
  Apart state = Apart::unproven;
  std::size_t lost = 0;  // pings that failed as they must
  std::string detail;    // which host reaches which, or why nothing is proven
};

// For each pair of spec.isolated: some paths from one side to the other, none of which may pass.
// Empty where a side has no address that a host of the document can ping from or to.
std::vector<std::vector<Path>> paths_that_must_fail(
    const FabricSpec& spec, const discovery::Snapshot& snapshot);

// One report for each pair. `tried`: those paths with their results, in any order; `paths`: the
// paths that must pass.
std::vector<ApartReport> judge_apart(
    const FabricSpec& spec,
    const std::vector<std::vector<Path>>& wanted,
    const std::vector<PathReport>& tried,
    const std::vector<PathReport>& paths);

// Rules `isolation-broken` and `isolation-unproven`.
void add_apart_findings(
    const FabricSpec& spec, const std::vector<ApartReport>& reports, Findings& findings);

}  // namespace fabric::verify
