// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/speed_text.hpp"

#include "tests/support/catch.hpp"

namespace fabric::verify::test {

TEST_CASE("the speed of a cable counts in Gb/s, with its unit or without", "[verify]") {
  CHECK(declared_speed_mbps("100") == 100'000);
  CHECK(declared_speed_mbps("100G") == 100'000);
  CHECK(declared_speed_mbps("100 Gb/s") == 100'000);
  CHECK(declared_speed_mbps("EDR") == std::nullopt);
  CHECK(declared_speed_mbps("2500M") == std::nullopt);
  CHECK(declared_speed_mbps("") == std::nullopt);
}

}  // namespace fabric::verify::test
