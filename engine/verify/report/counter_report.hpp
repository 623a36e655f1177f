// Did the error and link-down counters of a port move while the verify ran?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/names.hpp"

namespace fabric::verify {

enum class CounterState : std::uint8_t { unknown, still, moved };
std::string_view to_string(CounterState state);

struct MovedCounter {
  std::string name;  // the kernel's: "rx_crc_errors", "carrier_down_count", "link_downed"
  std::uint64_t before = 0, after = 0;
};

struct CounterReport {
  PortRef port;
  std::string interface;  // network device
  std::string rdma;       // "rocep1s0f0/1"; "" if there is no RDMA device
  CounterState state = CounterState::unknown;
  std::vector<MovedCounter> moved;
  std::string why_unknown;
};

}  // namespace fabric::verify
