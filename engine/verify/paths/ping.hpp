// SPDX-License-Identifier: Apache-2.0
// The pings of one node as its platform makes them, and a report of each.
#pragma once

#include <vector>

#include "engine/platform/path_tests.hpp"
#include "engine/remote/runner.hpp"
#include "engine/verify/report/path_report.hpp"

namespace fabric::verify {

remote::Step ping_step(const platform::PingTests& tests, const std::vector<Path>& from_one_node);
std::vector<PathReport> parse_pings(
    const platform::PingTests& tests,
    const std::vector<Path>& from_one_node,
    const remote::StepResult& result);

}  // namespace fabric::verify
