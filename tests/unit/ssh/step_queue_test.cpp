// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/step_queue.hpp"

#include <chrono>

#include "tests/support/catch.hpp"

namespace fabric::ssh {
namespace {

const NodeName kNode = *NodeName::parse("pve1");

remote::StepRequest run(remote::Ticket ticket) {
  return {ticket, kNode, remote::step::Run{}};
}

remote::StepRequest pause(remote::Ticket ticket, Duration duration) {
  return {ticket, kNode, remote::step::Pause{duration}};
}

TimePoint at(int milliseconds) {
  return TimePoint{} + Duration{milliseconds};
}

}  // namespace

TEST_CASE("a node does one step at a time, in the order they were given", "[ssh]") {
  StepQueue queue;
  Lane a;
  Lane b;
  queue.add(a, run(1), at(0));
  queue.add(a, run(2), at(0));
  queue.add(b, run(3), at(0));
  REQUIRE(queue.ready() == 2);
  CHECK(&queue.take() == &a);
  CHECK(&queue.take() == &b);
  CHECK(queue.ready() == 0);
  queue.add(a, run(4), at(0));  // while the first one runs
  CHECK(queue.ready() == 0);
  queue.finish(a, at(1));
  queue.finish(b, at(1));
  CHECK(queue.take_result().ticket == 1);
  CHECK(queue.take_result().ticket == 3);
  CHECK_FALSE(queue.has_results());
  for (const remote::Ticket ticket : {2U, 4U}) {
    REQUIRE(queue.ready() == 1);
    CHECK(&queue.take() == &a);
    queue.finish(a, at(2));
    CHECK(queue.take_result().ticket == ticket);
  }
  CHECK(queue.ready() == 0);
}

TEST_CASE("a pause ends by the clock, and what stands behind it goes on", "[ssh]") {
  StepQueue queue;
  Lane a;
  Lane b;
  queue.add(a, pause(1, Duration{100}), at(0));
  queue.add(a, run(2), at(0));
  queue.add(b, pause(3, Duration{50}), at(0));
  CHECK(queue.ready() == 0);
  CHECK(queue.until_next_pause(at(20), Duration{1000}) == Duration{30});
  CHECK(queue.until_next_pause(at(20), Duration{10}) == Duration{10});
  queue.end_pauses(at(60));
  CHECK(queue.take_result().ticket == 3);
  CHECK_FALSE(queue.has_results());
  queue.end_pauses(at(100));
  const remote::StepResult ended = queue.take_result();
  CHECK(ended.ticket == 1);
  CHECK(ended.outcome == remote::Outcome::succeeded);
  CHECK(ended.ended == at(100));
  CHECK(queue.ready() == 1);
}

}  // namespace fabric::ssh
