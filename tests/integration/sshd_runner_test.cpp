// SPDX-License-Identifier: Apache-2.0
// One runner and several nodes: the order of their steps, and its end.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/clock.hpp"
#include "engine/remote/observed_runner.hpp"
#include "engine/ssh/runner.hpp"

#include "tests/integration/single_runner.hpp"
#include "tests/integration/sshd_fixture.hpp"
#include "tests/support/catch.hpp"

using fabric::Duration;
using fabric::remote::Outcome;
using fabric::ssh::Options;
using fabric::ssh::Runner;
using fabric::ssh::SessionLife;
using fabric::ssh::Target;
using fabric::test::Listener;
using fabric::test::node;
using fabric::test::run_shell;
using fabric::test::Sshd;
namespace step = fabric::remote::step;

// Stands still until it is told to go on.
class HeldClock final : public fabric::Clock {
 public:
  fabric::TimePoint now() const override { return fabric::TimePoint{Duration{now_.load()}}; }
  std::int64_t unix_milliseconds() const override { return now_; }
  void advance(Duration by) { now_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_{1'000'000};
};

TEST_CASE("steps of one node keep their order and pauses hold up nobody else", "[integration]") {
  const Sshd sshd;
  HeldClock clock;
  Options options = sshd.options();
  options.parallelism = 1;
  Runner runner{{{node("a"), sshd.target()}, {node("b"), sshd.target()}}, options, clock};
  // Over when the other node has answered, however long its login takes.
  constexpr Duration kPause{200};
  runner.start({1, node("a"), step::Pause{kPause}});
  runner.start({2, node("a"), run_shell("echo after")});
  runner.start({3, node("b"), run_shell("echo other")});
  std::vector<std::uint64_t> order;
  CHECK_FALSE(runner.wait_any(Duration{0}));
  while (order.size() < 3) {
    const auto result = runner.wait_any(Duration{10'000});
    REQUIRE(result);
    CHECK(result->outcome == Outcome::succeeded);
    order.push_back(result->ticket);
    if (order.size() == 1) clock.advance(kPause);
  }
  CHECK(order == std::vector<std::uint64_t>{3, 1, 2});
}

TEST_CASE("a session of one step is gone when its result is there", "[integration]") {
  struct Counter final : fabric::remote::SessionObserver {
    void session_opened(const fabric::NodeName&, std::string_view, Duration) override { ++opened; }
    void session_refused(const fabric::NodeName&, const fabric::Error&, Duration) override {}
    void session_replaced(const fabric::NodeName&, const fabric::Error&) override {}
    int opened = 0;
  };
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
  };
  const Sshd sshd;
  fabric::SystemClock clock;
  for (const SessionLife life : {SessionLife::one_step, SessionLife::whole_run}) {
    Counter counter;
    Options options = sshd.options();
    options.parallelism = 1;
    options.session_life = life;
    options.sessions = &counter;
    Runner runner{{{node("a"), sshd.target()}}, options, clock};
    const auto before = descriptors();
    const auto run = [&](std::uint64_t tickets) {
      for (std::uint64_t ticket = 1; ticket <= tickets; ++ticket)
        runner.start({ticket, node("a"), run_shell("sleep 0.1")});
      for (std::uint64_t ticket = 1; ticket <= tickets; ++ticket) {
        const auto result = runner.wait_any(Duration{30'000});
        REQUIRE(result);
        CHECK(result->outcome == Outcome::succeeded);
      }
    };
    const bool kept = life == SessionLife::whole_run;
    // Steps that wait for it use the one that there is.
    run(3);
    CHECK(counter.opened == 1);
    CHECK((descriptors() > before) == kept);
    run(1);
    CHECK(counter.opened == (kept ? 1 : 2));
    CHECK(runner.identity(node("a")));
  }
}

TEST_CASE("a runner ends at once, whatever its steps are waiting for", "[integration]") {
  const Sshd sshd;
  const Listener mute;
  Target stalled = sshd.target();
  stalled.port = mute.port();
  Target behind = sshd.target();
  behind.jumps = {"127.0.0.1:" + std::to_string(mute.port())};
  fabric::SystemClock clock;
  const fabric::TimePoint begun = clock.now();
  {
    Runner runner{
        {{node("long"), sshd.target()},
         {node("stalled"), stalled},
         {node("behind"), behind},
         {node("asleep"), sshd.target()}},
        sshd.options(),
        clock};
    runner.start({1, node("long"), run_shell("echo begun; sleep 30", Duration{60'000})});
    runner.start({2, node("stalled"), run_shell("true")});
    runner.start({3, node("behind"), run_shell("true")});
    runner.start({4, node("asleep"), step::Pause{Duration{60'000}}});
    CHECK_FALSE(runner.wait_any(Duration{500}));
  }
  // Its steps would take up to a minute.
  CHECK(clock.now() - begun < Duration{25'000});
}
