// SPDX-License-Identifier: Apache-2.0
// What a changing step is run behind, under every shell of this machine.
#include <filesystem>
#include <functional>

#include <unistd.h>

#include "providers/linux/machine/linux_platform.hpp"
#include "providers/linux/machine/node_lock.hpp"

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
const LinuxFencing kFencing;

struct Node : FencedNode {
  explicit Node(const Shell& shell) : FencedNode{shell} { clock(1'000, "boot-1"); }

  void take(const std::string& run, Duration length = kLong) {
    const remote::CommandOutput output =
        FencedNode::run(kLock.take({run, "root@ops1", "boot/pid:[1]", "4711.88213"}, length, {}));
    INFO(output.standard_output << output.standard_error);
    REQUIRE(output.standard_output == "taken\n");
  }

  // By run-1. What it leaves is the file `made`.
  remote::StepResult change(Duration timeout = Duration{30'000}) {
    remote::step::Run step;
    step.command = {{"sh", "-c", "cat >$1", "x", scratch.at("made")}, "from input\n", timeout};
    remote::StepResult result;
    result.output = run(kFencing.while_leased("run-1", step));
    return result;
  }
  bool has_changed() const { return std::filesystem::exists(scratch.at("made")); }
  std::string text() const { return read_text(scratch.at("lib/lock")); }
};

}  // namespace

TEST_CASE(
    "every shell does what the run that has the lease sends, and nothing else", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    node.take("run-1");
    const remote::StepResult done = node.change();
    CHECK(done.output.exit_status == 0);
    CHECK(done.output.standard_error.empty());
    CHECK_FALSE(kFencing.is_refusal(done));
    CHECK(read_text(node.scratch.at("made")) == "from input\n");
  }
}

TEST_CASE("every shell refuses without the lease of that run in force", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    const auto refuses = [&shell](const std::function<void(Node&)>& prepare, const char* why) {
      INFO(why);
      Node node{shell};
      prepare(node);
      const remote::StepResult refused = node.change();
      CHECK(kFencing.is_refusal(refused));
      CHECK(refused.output.exit_status == 76);
      INFO(refused.output.standard_error);
      CHECK(refused.output.standard_error.find(why) != std::string::npos);
      CHECK_FALSE(node.has_changed());
    };
    refuses([](Node&) {}, "does not hold the lock");
    refuses([](Node& node) { node.take("run-2"); }, "locked by root@ops1 (run run-2)");
    refuses(
        [](Node& node) {
          node.take("run-1");
          node.clock(1'300, "boot-1");
        },
        "ran out 0 s ago");
    refuses(
        [](Node& node) {
          node.take("run-1");
          node.clock(300, "boot-2");
        },
        "ran out");
    refuses(
        [](Node& node) {
          node.take("run-1");
          write_text(node.scratch.at("lib/lock"), "run run-1\nexpires soon\n");
        },
        "can't be read");
    // Given up and taken by another in between, which has gone too.
    refuses(
        [](Node& node) {
          node.take("run-1", Duration{0});
          node.take("run-2");
          node.run(kLock.release("run-2"));
        },
        "does not hold the lock");
  }
}

TEST_CASE(
    "a lease is in force after a boot of its node, whatever the wall clock says", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    node.take("run-1");
    node.clock(30, "boot-2");
    node.wall_clock(4'000'000'000LL);
    CHECK(node.change().output.exit_status == 0);
    CHECK(node.has_changed());
  }
}

TEST_CASE("a lease outlasts the step that it lets through", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    node.take("run-1");
    node.clock(1'290, "boot-1");
    CHECK(node.change(Duration{600'000}).output.exit_status == 0);
    CHECK(node.has_changed());
    CHECK(node.text().find("expires 1890\nlength 600\n") != std::string::npos);
    CHECK(node.text().find("run run-1\nwho root@ops1\n") == 0);
    CHECK(node.text().find("taken 1000\n") != std::string::npos);
    // Long enough: nothing is written.
    const std::string before = node.text();
    CHECK(node.change(Duration{60'000}).output.exit_status == 0);
    CHECK(node.text() == before);
  }
}

TEST_CASE("files are neither written nor removed without a lease", "[platform]") {
  const std::string ids = std::to_string(getuid()) + ":" + std::to_string(getgid());
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    const std::string path = node.scratch.at("folder/file");
    const remote::Step write =
        kFencing.while_leased("run-1", remote::step::WriteFile{path, "text\n", 0644, ids});
    const remote::Step removal = kFencing.while_leased("run-1", remote::step::RemoveFile{path});
    CHECK(node.run(write).exit_status == 76);
    CHECK_FALSE(std::filesystem::exists(node.scratch.at("folder")));
    node.take("run-1");
    CHECK(node.run(write).exit_status == 0);
    CHECK(read_text(path) == "text\n");
    node.run(kLock.release("run-1"));
    CHECK(node.run(removal).exit_status == 76);
    CHECK(std::filesystem::exists(path));
  }
}

TEST_CASE("what a tool says is no refusal", "[platform]") {
  remote::StepResult result;
  result.output = {76, "", "service not available\n"};
  CHECK_FALSE(kFencing.is_refusal(result));
  result.output = {1, "", "lease lost: by whom?\n"};
  CHECK_FALSE(kFencing.is_refusal(result));
  result.output = {76, "", "a banner\nlease lost: it ran out\n"};
  CHECK(kFencing.is_refusal(result));
  result.outcome = remote::Outcome::unknown;
  CHECK_FALSE(kFencing.is_refusal(result));
}
