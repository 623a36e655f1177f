// SPDX-License-Identifier: Apache-2.0
// Flow: one measurement between two ports, of RDMA or TCP, by the tools of their platforms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/platform/traffic.hpp"

namespace fabric::verify {

using platform::Traffic;

struct FlowEnd {
  PortRef port;
  platform::FlowEnd at{};
};

struct Flow {
  Traffic traffic = Traffic::rdma;
  std::string network;
  FlowEnd client, server;
  std::vector<std::size_t> cables{};  // indices in the order of judge_cables()
  std::vector<NodeName> transit{};    // nodes whose card must forward
  double limit_gbps = 0;              // the most that link and PCIe allow; 0 = unknown
  std::string limited_by{};           // "the link of pve1/cx5/1", "the PCIe slot of pve1/cx5"
  std::string why_not{};              // a missing tool, device or GID; "" = the flow can be tried
  platform::MeasuringTool tool{};  // the client's; if one is missing, that of the node without it
  std::optional<NodeName> tool_missing_on{};
  std::optional<NodeName> untestable{};  // an end whose platform has no path tests
};

enum class FlowState : std::uint8_t { untested, failed, measured };
std::string_view to_string(FlowState state);

struct FlowReport {
  Flow flow;
  FlowState state = FlowState::untested;
  double gbps = 0;  // goodput, decimal gigabits a second
  std::string detail;
};

// The bandwidth that a flow must reach, in Gb/s; 0 = unknown. 80 % of the limit by RDMA, 50 % by
// TCP, a tenth less for each card that forwards. A healthy ring of ConnectX-5 was seen at 96 %, TCP
// over one 40G port at 61 % with one stream, and "there is a small dip in performance on each hop"
// (seeds 000, 002). TCP costs processor time, so less is asked of it.
double least_gbps(const Flow& flow);

}  // namespace fabric::verify
