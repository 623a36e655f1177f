// Flow: one measurement between two ports, by perftest (RDMA) or iperf3 (TCP).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/model/names.hpp"

namespace fabric::verify {

enum class FlowTool : std::uint8_t { ib_send_bw, iperf3 };
std::string_view to_string(FlowTool tool);   // the program: "ib_send_bw"
std::string_view package_of(FlowTool tool);  // "perftest"; Debian and RHEL call both the same

struct FlowEnd {
  PortRef port;
  std::string interface;  // network device, the bond's where the port is a slave
  std::string address;    // of that interface; of the node on InfiniBand
  std::string rdma_device;
  std::uint32_t rdma_port = 1;
  std::optional<std::uint32_t> gid_index;  // none on InfiniBand
};

struct Flow {
  FlowTool tool = FlowTool::ib_send_bw;
  std::string network;
  FlowEnd client, server;
  std::vector<std::size_t> cables;  // in the order of judge_cables()
  std::vector<NodeName> transit;    // nodes whose card must forward
  double limit_gbps = 0;            // what link and PCIe allow; 0 = unknown
  std::string limited_by;           // "the link of pve1/cx5/1", "the PCIe slot of pve1/cx5"
  std::string why_not;              // not to be tried: a missing tool, device or GID; "" = try it
  std::optional<NodeName> tool_missing_on;
};

enum class FlowState : std::uint8_t { untested, failed, measured };
std::string_view to_string(FlowState state);

struct FlowReport {
  Flow flow;
  FlowState state = FlowState::untested;
  double gbps = 0;  // goodput, decimal gigabits a second
  std::string detail;
};

// What a flow can be expected to reach at least, in Gb/s; 0 = unknown. 80 % of the limit by RDMA,
// 50 % by TCP, a tenth less for each card that forwards. A healthy ring of ConnectX-5 was seen at
// 96 %, TCP over one 40G port at 61 % with one stream, and "there is a small dip in performance on
// each hop" (seeds 000, 002). TCP costs processor time, so less is asked of it.
double least_gbps(const Flow& flow);

}  // namespace fabric::verify
