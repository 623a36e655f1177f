// SPDX-License-Identifier: Apache-2.0
// The journal: ahead of what it announces, and the end of the run that it can't be written for.
#include "engine/execute/journal/journal.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/execute/executor.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/execute/applied_world.hpp"

using namespace fabric;
using namespace fabric::execute;
using fabric::test::Lines;
using fabric::test::World;

namespace {

class MemorySink final : public JournalSink {
 public:
  Lines lines;
  std::size_t room = 1'000;
  Result<void> append(std::string_view line) override {
    if (lines.size() >= room) return Error{ErrorCode::denied, "no space left on device"};
    lines.emplace_back(line);
    return {};
  }
};

}  // namespace

TEST_CASE("the journal is written ahead, one line an event", "[execute]") {
  World world;
  world.add("a");
  MemorySink sink;
  Journal journal{sink, world.fleet.clock()};
  const plans::Plan plan = world.plan();
  fabric::execute::execute(world.inputs(plan), {&journal});
  REQUIRE(sink.lines.size() > 5);
  CHECK(
      sink.lines[0] == R"({"actions":3,"event":"run_started","fabric":"","plan":")" + plan.digest +
                           R"(","run":"run-1","time":"2026-11-18T11:06:40.000Z"})");
  CHECK(sink.lines.back().find(R"("event":"run_ended","results":{"done":3})") != std::string::npos);
}

TEST_CASE("a journal that can't be written stops the run before anything is sent", "[execute]") {
  World world;
  world.add("a");
  MemorySink sink;
  sink.room = 2;  // run_started, wave_started
  Journal journal{sink, world.fleet.clock()};
  world.interrupted = [&journal] {
    return !journal.health().has_value();
  };
  const plans::Plan plan = world.plan();
  const RunResult run = fabric::execute::execute(world.inputs(plan), {&journal});
  CHECK(world.fleet.trace.empty());
  CHECK(run.cancelled);
  CHECK(run.actions[0].state == ActionState::not_started);
}
