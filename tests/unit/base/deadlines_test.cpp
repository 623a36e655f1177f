// SPDX-License-Identifier: Apache-2.0
#include "engine/base/deadlines.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace fabric {

using namespace std::chrono_literals;

TEST_CASE("each has one deadline, and the earliest of all is known") {
  Deadlines<std::string> deadlines;
  CHECK_FALSE(deadlines.next());
  deadlines.set("b", TimePoint{5ms});
  deadlines.set("c", TimePoint{7ms});
  deadlines.set("a", TimePoint{5ms});
  CHECK(deadlines.next() == std::pair{TimePoint{5ms}, std::string{"a"}});
  deadlines.set("a", TimePoint{9ms});
  CHECK(deadlines.next() == std::pair{TimePoint{5ms}, std::string{"b"}});
  CHECK(deadlines.due(TimePoint{4ms}).empty());
  CHECK(deadlines.due(TimePoint{7ms}) == std::vector<std::string>{"b", "c"});
  // Looking takes nothing away.
  CHECK(deadlines.due(TimePoint{9ms}) == std::vector<std::string>{"b", "c", "a"});
  deadlines.set("b", std::nullopt);
  CHECK(deadlines.next() == std::pair{TimePoint{7ms}, std::string{"c"}});
  deadlines.set("c", std::nullopt);
  deadlines.set("a", std::nullopt);
  deadlines.set("a", std::nullopt);
  CHECK_FALSE(deadlines.next());
}

}  // namespace fabric
