// SPDX-License-Identifier: Apache-2.0
// Did the error and link-down counters of a port move while the verify ran?
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/names.hpp"

namespace fabric::verify {

// Saturated: none moved, but one is at its maximum and can't, so whether there were errors is
// unknown.
enum class CounterState : std::uint8_t { unknown, still, saturated, moved };
std::string_view to_string(CounterState state);

struct MovedCounter {
  std::string name;  // the kernel's: "rx_crc_errors", "carrier_down_count", "link_downed"
  std::uint64_t before = 0, after = 0;
};

struct CounterReport {
  PortRef port;
  std::string interface;  // network device; on a switch its own port name, "swp7"
  std::string rdma;       // "rocep1s0f0/1"; "" if there is no RDMA device
  CounterState state = CounterState::unknown;
  std::vector<MovedCounter> moved;
  std::string why_unknown;
  // The counters at their maximum after the verify, whatever `state` is: that maximum, by name.
  std::map<std::string, std::uint64_t> saturated{};
};

}  // namespace fabric::verify
