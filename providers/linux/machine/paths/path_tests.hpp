// SPDX-License-Identifier: Apache-2.0
// Paths tested from a Linux host, by scripts of POSIX sh.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/platform/path_tests.hpp"
#include "engine/platform/port_readings.hpp"
#include "engine/remote/command.hpp"

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
  remote::Step stop_manager(const ManagerStopping& stopping) const override;
  ManagerStoppingAnswer stopping_answer(const remote::StepResult& result) const override;
};

// The script that reads a Linux kernel's facts about its ports, and the parser of its output.

// POSIX sh; grep of GNU or BusyBox. Files that a kernel lacks are no error.
remote::Command port_readings_command();
// Unknown lines are skipped.
PortReadings parse_port_readings(std::string_view text);
// The IPv4 broadcast groups of IPoIB (MGID ff1x:401b:PKEY::ffff:ffff, RFC 4391), in order, without
// other groups and lines. Nullopt if the text is no such list, as a failure message.
std::optional<std::vector<IpoibGroup>> parse_ipoib_groups(std::string_view text);

}  // namespace fabric::platform
