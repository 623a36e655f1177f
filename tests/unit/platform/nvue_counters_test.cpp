// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "providers/nvue/machine/nvue_platforms.hpp"

#include "tests/support/catch.hpp"

namespace fabric::platform {
namespace {

TEST_CASE("ports of a switch with NVUE count under the names of a kernel", "[platform]") {
  const PortReadings readings = parse_nvue_counters(R"({
    "eth0": {"link": {"oper-status": "up"}},
    "lo": {},
    "sw1p1": {"link": {"counters": {"in-bytes": 7, "in-errors": 2, "in-symbol-errors": 3}}},
    "swp1": {"link": {"stats": {"carrier-down-count": 5, "carrier-transitions": 11, "in-drops": 35994,
                                "in-errors": 4, "out-errors": "n/a"}}}})");
  CHECK(readings.why_not.empty());
  CHECK(
      readings.interfaces ==
      std::map<std::string, Counters>{
          {"sw1p1", {{"rx_errors", 2}, {"symbol_error", 3}}},
          {"swp1", {{"carrier_changes", 11}, {"carrier_down_count", 5}, {"rx_errors", 4}}}});
}

TEST_CASE("an answer that is no list of interfaces says why", "[platform]") {
  CHECK(parse_nvue_counters("[]").why_not == "the switch listed no interfaces");
  CHECK(parse_nvue_counters("").why_not.find("the switch's interfaces can't be read: ") == 0);
}

}  // namespace
}  // namespace fabric::platform
