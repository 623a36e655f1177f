// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "providers/linux/machine/paths/flows.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

// Large enough that the message rate is no limit, and what perftest takes by default.
constexpr const char* kMessageBytes = "65536";
constexpr const char* kMessages = "1000";
// One stream rarely fills 40G (E-tcp-streams).
constexpr const char* kStreams = "8";
constexpr std::int64_t kClientSlack = 15;
constexpr std::int64_t kServerSlack = 25;
// From the deadline on the node to that of the connection.
constexpr std::int64_t kReplySlack = 10;

std::int64_t seconds(Duration duration) {
  return duration.count() / 1000;
}

remote::Argv rdma_argv(const FlowEnd& end, const FlowOrder& order) {
  remote::Argv argv{"ib_send_bw", "-d", end.rdma_device, "-i", std::to_string(end.rdma_port)};
  if (end.gid_index) argv.insert(argv.end(), {"-x", std::to_string(*end.gid_index)});
  argv.insert(
      argv.end(),
      {"-s", kMessageBytes, "-F", "--report_gbits", "-p", std::to_string(order.tcp_port)});
  if (order.duration.count() > 0) {
    argv.insert(argv.end(), {"-D", std::to_string(seconds(order.duration))});
  } else {
    argv.insert(argv.end(), {"-n", kMessages});
  }
  return argv;
}

remote::Argv tcp_argv(const FlowEnd& end, const FlowOrder& order) {
  return {"iperf3", "-p", std::to_string(order.tcp_port), "-B", end.address};
}

// `interface`: that iperf3 sends from.
remote::Command command_of(
    const remote::Argv& argv, std::int64_t limit, const std::string& interface = {}) {
  remote::Argv limited{"sh", "-s", interface, "timeout", "-k", "2", std::to_string(limit)};
  limited.insert(limited.end(), argv.begin(), argv.end());
  return {
      std::move(limited), std::string{sh::measure.text}, Duration{(limit + kReplySlack) * 1000}};
}

}  // namespace

// Debian and RHEL call both packages the same (E-linux-packages).
MeasuringTool measuring_tool(Traffic traffic) {
  if (traffic == Traffic::tcp) return {"iperf3", "iperf3"};
  return {"ib_send_bw", "perftest"};
}

remote::Command server_command(const FlowOrder& order) {
  const std::int64_t limit = seconds(order.duration) + kServerSlack;
  if (order.traffic == Traffic::rdma) return command_of(rdma_argv(order.server, order), limit);
  remote::Argv argv = tcp_argv(order.server, order);
  argv.insert(argv.end(), {"-s", "-1"});
  return command_of(argv, limit);
}

remote::Command client_command(const FlowOrder& order) {
  const std::int64_t limit = seconds(order.duration) + kClientSlack;
  if (order.traffic == Traffic::rdma) {
    remote::Argv argv = rdma_argv(order.client, order);
    argv.push_back(order.server.address);
    return command_of(argv, limit);
  }
  remote::Argv argv = tcp_argv(order.client, order);
  argv.insert(
      argv.end(),
      {"-c",
       order.server.address,
       "-J",
       "-P",
       kStreams,
       "-t",
       std::to_string(std::max<std::int64_t>(1, seconds(order.duration)))});
  return command_of(argv, limit, order.client.interface);
}

}  // namespace fabric::platform
