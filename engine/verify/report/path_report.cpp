// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/report/path_report.hpp"

#include "engine/base/check.hpp"

namespace fabric::verify {

namespace {

std::vector<platform::Ping> pings_of(const std::vector<Path>& paths) {
  std::vector<platform::Ping> pings;
  pings.reserve(paths.size());
  for (const Path& path : paths)
    pings.push_back({path.from_interface, path.to_address, path.mtu});
  return pings;
}

}  // namespace

remote::Step ping_step(const platform::PingTests& tests, const std::vector<Path>& from_one_node) {
  return tests.ping(pings_of(from_one_node));
}

std::vector<PathReport> parse_pings(
    const platform::PingTests& tests,
    const std::vector<Path>& from_one_node,
    const remote::StepResult& result) {
  const std::vector<platform::PingAnswer> answers =
      tests.ping_answers(pings_of(from_one_node), result);
  FABRIC_CHECK(
      answers.size() == from_one_node.size(), "the number of answers is not the number of pings");
  std::vector<PathReport> reports;
  for (std::size_t i = 0; i < answers.size(); ++i)
    reports.push_back({from_one_node[i], answers[i].small, answers[i].full, answers[i].detail});
  return reports;
}

}  // namespace fabric::verify
