// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/paths/path_tests.hpp"

#include <utility>

#include "providers/linux/machine/link/link_readings.hpp"
#include "providers/linux/machine/paths/flows.hpp"
#include "providers/linux/machine/paths/pings.hpp"
#include "providers/linux/machine/paths/port_closing.hpp"
#include "providers/linux/machine/paths/port_readings.hpp"
#include "providers/linux/machine/paths/subnet_looks.hpp"

namespace fabric::platform {

namespace {

remote::Step run(remote::Command command) {
  return remote::step::Run{.command = std::move(command), .reads_only = true};
}

}  // namespace

remote::Step LinuxPathTests::ping(std::span<const Ping> pings) const {
  return run(ping_command(linux_ping(), pings, "/usr/sbin:/sbin"));
}

std::vector<PingAnswer> LinuxPathTests::ping_answers(
    std::span<const Ping> pings, const remote::StepResult& result) const {
  return platform::ping_answers(linux_ping(), pings, result.output);
}

remote::Step LinuxPathTests::read_ports() const {
  return run(port_readings_command());
}

PortReadings LinuxPathTests::port_readings(const remote::StepResult& result) const {
  return parse_port_readings(result.output.standard_output);
}

remote::Step LinuxPathTests::read_links() const {
  return run(link_readings_command());
}

LinkReadings LinuxPathTests::link_readings(const remote::StepResult& result) const {
  return parse_link_readings(result.output.standard_output);
}

remote::Step LinuxPathTests::look_at_subnets() const {
  return run(subnet_looks_command());
}

SubnetLooks LinuxPathTests::subnet_looks(
    const NodeName& node, const remote::StepResult& result) const {
  return parse_subnet_looks(node, result.output);
}

MeasuringTool LinuxPathTests::tool(Traffic traffic) const {
  return measuring_tool(traffic);
}

remote::Step LinuxPathTests::serve(const FlowOrder& order) const {
  return run(server_command(order));
}

remote::Step LinuxPathTests::send(const FlowOrder& order) const {
  return run(client_command(order));
}

FlowAnswer LinuxPathTests::flow_answer(Traffic traffic, const remote::StepResult& client) const {
  return parse_client(traffic, client.output);
}

std::string LinuxPathTests::serving_failure(const remote::StepResult& server) const {
  return parse_server(server.output);
}

remote::Step LinuxPathTests::close_port(const PortClosing& closing) const {
  return remote::step::Run{.command = port_closing_command(closing)};
}

PortClosingAnswer LinuxPathTests::closing_answer(const remote::StepResult& result) const {
  return parse_port_closing(result.output);
}

}  // namespace fabric::platform
