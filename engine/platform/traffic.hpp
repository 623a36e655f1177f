// SPDX-License-Identifier: Apache-2.0
// Flows as a platform measures them: a server on one node, a client on another, of one kind of
// traffic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/clock.hpp"

namespace fabric::platform {

enum class Traffic : std::uint8_t { rdma, tcp };

// The tool for a kind of traffic.
struct MeasuringTool {
  std::string program;  // "ib_send_bw"
  std::string package;  // package with the program: "perftest"
};

struct FlowEnd {
  std::string interface;  // network device, the bond's where the port is a slave
  std::string address;    // of that interface; on InfiniBand the node's
  std::string rdma_device;
  std::uint32_t rdma_port = 1;
  std::optional<std::uint32_t> gid_index;  // none on InfiniBand
};

struct FlowOrder {
  Traffic traffic = Traffic::rdma;
  FlowEnd client, server;
  std::uint16_t tcp_port = 0;  // the server listens there
  // The duration of measuring. 0: a fixed number of RDMA messages, enough to see whether it works.
  Duration duration{0};
};

// The result by a client's output.
struct FlowAnswer {
  enum class State : std::uint8_t { cut_short, failed, measured };
  State state = State::cut_short;
  double gbps = 0;               // goodput, decimal gigabits a second; only if `measured`
  std::string complaint;         // the tool's own words; "" = it said nothing
  std::int64_t exit_status = 0;  // exit status of the tool
  bool timed_out = false;        // it was ended from outside
  bool nobody_listened = false;  // the server may not have been ready yet
};

}  // namespace fabric::platform
