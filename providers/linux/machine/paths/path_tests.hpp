// SPDX-License-Identifier: Apache-2.0
// Paths tested from a Linux host, by scripts of POSIX sh.
#pragma once

#include "engine/platform/path_tests.hpp"

namespace fabric::platform {

class LinuxPathTests final : public PathTests {
 public:
  remote::Step ping(std::span<const Ping> pings) const override;
  std::vector<PingAnswer> ping_answers(
      std::span<const Ping> pings, const remote::StepResult& result) const override;
  remote::Step read_ports() const override;
  PortReadings port_readings(const remote::StepResult& result) const override;
  remote::Step read_links() const override;
  LinkReadings link_readings(const remote::StepResult& result) const override;
  remote::Step look_at_subnets() const override;
  SubnetLooks subnet_looks(const NodeName& node, const remote::StepResult& result) const override;
  MeasuringTool tool(Traffic traffic) const override;
  remote::Step serve(const FlowOrder& order) const override;
  remote::Step send(const FlowOrder& order) const override;
  FlowAnswer flow_answer(Traffic traffic, const remote::StepResult& client) const override;
  std::string serving_failure(const remote::StepResult& server) const override;
  remote::Step close_port(const PortClosing& closing) const override;
  PortClosingAnswer closing_answer(const remote::StepResult& result) const override;
};

}  // namespace fabric::platform
