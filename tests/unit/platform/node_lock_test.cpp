// The script of a node's lock under every shell of this machine; its folder is moved into a scratch
// folder.
#include "engine/platform/linux/node_lock.hpp"

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/local_shell.hpp"

using namespace fabric;
using namespace fabric::platform;
using fabric::remote::test::read_text;
using fabric::remote::test::run_locally;
using fabric::remote::test::Scratch;
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

struct Node {
  Shell shell;
  Scratch scratch;

  explicit Node(Shell given) : shell{std::move(given)} {}

  remote::CommandOutput run(const remote::Step& step) const {
    remote::Command command = std::get<remote::step::Run>(step).command;
    const std::string folder = "/var/lib/fabric";
    for (std::string& word : command.argv) {
      for (std::size_t at = word.find(folder); at != std::string::npos; at = word.find(folder, at))
        word.replace(at, folder.size(), scratch.at("lib"));
    }
    return run_locally(shell, command, scratch);
  }

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
