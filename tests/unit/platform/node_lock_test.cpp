// SPDX-License-Identifier: Apache-2.0
// The script of a node's lock under every shell of this machine; its folder is moved into a scratch
// folder.
#include "providers/linux/machine/node_lock.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/support/local_shell.hpp"
#include "tests/unit/platform/fenced_node.hpp"

using namespace fabric;
using namespace fabric::platform;
using fabric::platform::test::FencedNode;
using fabric::remote::test::read_text;
using fabric::remote::test::Shell;
using fabric::remote::test::shells;
using fabric::remote::test::write_text;

namespace {

constexpr Duration kLong{300'000};

const LinuxNodeLock kLock;

remote::Step take_lease_step(
    const LeaseHolder& holder, Duration length, const std::string& over = {}) {
  return kLock.take(holder, length, over);
}
remote::Step read_lease_step() {
  return kLock.read();
}
remote::Step release_lease_step(const std::string& run) {
  return kLock.release(run);
}
Result<LeaseAnswer> lease_answer(const remote::CommandOutput& output) {
  remote::StepResult result;
  result.output = output;
  return kLock.answer(result);
}

struct Node : FencedNode {
  using FencedNode::FencedNode;

  LeaseAnswer ask(const remote::Step& step) const {
    const remote::CommandOutput output = run(step);
    INFO(output.standard_output << output.standard_error);
    const Result<LeaseAnswer> answer = lease_answer(output);
    REQUIRE(answer.has_value());
    return *answer;
  }
};

LeaseHolder holder(const std::string& run) {
  return {run, "root@ops1", "boot/pid:[4026531836]", "4711.88213"};
}

}  // namespace

TEST_CASE("every shell gives a node to one run and says to the other whose it is", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    const Node node{shell};
    CHECK_FALSE(node.ask(read_lease_step()).found);
    CHECK(node.ask(take_lease_step(holder("run-1"), kLong)).taken);

    const LeaseAnswer refused = node.ask(take_lease_step(holder("run-2"), kLong));
    CHECK_FALSE(refused.taken);
    REQUIRE(refused.found);
    CHECK(refused.found->holder == holder("run-1"));
    CHECK(refused.found->is_live());
    CHECK(refused.found->left <= kLong);
    CHECK(refused.found->age >= Duration{0});
    CHECK(node.ask(read_lease_step()).found->holder.run == "run-1");
  }
}

TEST_CASE("every shell renews a lease, and gives up no other's", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    const Node node{shell};
    CHECK(node.ask(take_lease_step(holder("run-1"), Duration{1'000})).taken);
    CHECK(node.ask(take_lease_step(holder("run-1"), kLong)).taken);
    CHECK(node.ask(read_lease_step()).found->left > Duration{100'000});
    CHECK(node.ask(release_lease_step("run-2")).found->holder.run == "run-1");
    CHECK_FALSE(node.ask(release_lease_step("run-1")).found);
    CHECK_FALSE(node.ask(release_lease_step("run-1")).found);
    CHECK(node.ask(take_lease_step(holder("run-2"), kLong)).taken);
  }
}

TEST_CASE("every shell takes over what has run out, and what is said to be dead", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    const Node node{shell};
    CHECK(node.ask(take_lease_step(holder("run-1"), Duration{0})).taken);
    CHECK_FALSE(node.ask(read_lease_step()).found->is_live());
    CHECK(node.ask(take_lease_step(holder("run-2"), kLong)).taken);
    CHECK(node.ask(take_lease_step(holder("run-3"), kLong, "run-1")).found->holder.run == "run-2");
    CHECK(node.ask(take_lease_step(holder("run-3"), kLong, "run-2")).taken);
  }
}

TEST_CASE("every shell tells the time of a lease by what nobody sets", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    node.clock(1'000, "boot-1");
    CHECK(node.ask(take_lease_step(holder("run-1"), kLong)).taken);
    for (const std::int64_t wall : {1LL, 4'000'000'000LL}) {
      node.wall_clock(wall);
      const LeaseAnswer found = node.ask(read_lease_step());
      CHECK(found.found->left == kLong);
      CHECK_FALSE(node.ask(take_lease_step(holder("run-2"), kLong)).taken);
    }
    node.clock(1'299, "boot-1");
    CHECK(node.ask(read_lease_step()).found->left == Duration{1'000});
    CHECK(node.ask(read_lease_step()).found->age == Duration{299'000});
    CHECK_FALSE(node.ask(take_lease_step(holder("run-2"), kLong)).taken);
    node.clock(1'300, "boot-1");
    CHECK_FALSE(node.ask(read_lease_step()).found->is_live());
    CHECK(node.ask(take_lease_step(holder("run-2"), kLong)).taken);
  }
}

TEST_CASE("every shell lets a lease last for its whole length from a boot on", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    // The node has run for longer than it will have when the other comes.
    node.clock(5'000, "boot-1");
    CHECK(node.ask(take_lease_step(holder("run-1"), kLong)).taken);
    node.clock(20, "boot-2");
    CHECK(node.ask(read_lease_step()).found->left == Duration{280'000});
    CHECK_FALSE(node.ask(take_lease_step(holder("run-2"), kLong)).taken);
    // Its own run makes it one of this boot.
    CHECK(node.ask(take_lease_step(holder("run-1"), kLong)).taken);
    node.clock(319, "boot-2");
    CHECK_FALSE(node.ask(take_lease_step(holder("run-2"), kLong)).taken);
    node.clock(320, "boot-2");
    CHECK(node.ask(take_lease_step(holder("run-2"), kLong)).taken);
    // Not for ever: each boot gives it its length once more, and no more.
    node.clock(300, "boot-3");
    CHECK(node.ask(take_lease_step(holder("run-3"), kLong)).taken);
  }
}

TEST_CASE("every shell takes an uptime that went back for another boot", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    node.clock(1'000'000, "boot-1");
    CHECK(node.ask(take_lease_step(holder("run-1"), kLong)).taken);
    // A container that was started again: the kernel is the same.
    node.clock(10, "boot-1");
    CHECK(node.ask(read_lease_step()).found->left == Duration{290'000});
    CHECK_FALSE(node.ask(take_lease_step(holder("run-2"), kLong)).taken);
    node.clock(300, "boot-1");
    CHECK(node.ask(take_lease_step(holder("run-2"), kLong)).taken);
  }
}

TEST_CASE("a lock of before goes by the wall clock, and can be given up", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    node.clock(50, "boot-1");
    CHECK_FALSE(node.ask(read_lease_step()).found);
    const auto leave = [&node](std::int64_t seconds) {
      const std::int64_t now = SystemClock{}.unix_milliseconds() / 1000;
      write_text(
          node.scratch.at("lib/lock"),
          fmt::format(
              "run run-0\nwho a@b\nplace p\nprocess 1.1\ntaken {}\nexpires {}\n",
              now - 100,
              now + seconds));
    };
    leave(1'000);
    CHECK_FALSE(node.ask(take_lease_step(holder("run-1"), kLong)).taken);
    CHECK(node.ask(read_lease_step()).found->left > Duration{900'000});
    leave(-1);
    CHECK_FALSE(node.ask(read_lease_step()).found->is_live());
    CHECK_FALSE(node.ask(release_lease_step("run-0")).found);
  }
}

TEST_CASE("a node that can't tell its time keeps no lock", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    node.clock(50, "boot-1");
    std::filesystem::remove(node.scratch.at("uptime"));
    const Result<LeaseAnswer> answer =
        lease_answer(node.run(take_lease_step(holder("run-1"), kLong)));
    REQUIRE_FALSE(answer.has_value());
    CHECK(answer.error().code == ErrorCode::denied);
    CHECK(answer.error().message.find("uptime") != std::string::npos);
  }
}

TEST_CASE("a lock that can't be read is held", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    const Node node{shell};
    CHECK(node.ask(take_lease_step(holder("run-1"), kLong)).taken);
    write_text(node.scratch.at("lib/lock"), "run \nexpires soon\n");
    const Result<LeaseAnswer> answer =
        lease_answer(node.run(take_lease_step(holder("run-2"), kLong)));
    REQUIRE_FALSE(answer.has_value());
    CHECK(answer.error().code == ErrorCode::locked);
    CHECK(read_text(node.scratch.at("lib/lock")) == "run \nexpires soon\n");
  }
}

TEST_CASE("a node that can't keep a lock is not written to", "[platform]") {
  const Result<LeaseAnswer> answer = lease_answer({127, "", "sh: 1: exec: flock: not found\n"});
  REQUIRE_FALSE(answer.has_value());
  CHECK(answer.error().code == ErrorCode::denied);
  CHECK(answer.error().message.find("flock: not found") != std::string::npos);
  CHECK_FALSE(lease_answer({0, "", ""}).has_value());
}
