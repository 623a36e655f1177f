// SPDX-License-Identifier: Apache-2.0
// What is said to be done on a node is so after a power cut at that instant: on simulated hosts,
// whose disks forget what nobody has synced.
#include <string>

#include "engine/remote/perform.hpp"
#include "engine/remote/shell.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/linux/machine/node_lock.hpp"
#include "providers/linux/machine/rollback_timer.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/lab/ring_lab.hpp"

using namespace fabric;
using platform::GuardState;

namespace {

constexpr std::uint64_t kSeeds = 25;
constexpr const char* kFile = "/etc/systemd/network/10-storage.network";
const std::string kToken = "0123456789abcdef";
const platform::LinuxRollbackTimer kTimer;
const platform::LinuxNodeLock kLock;

struct Node {
  explicit Node(std::uint64_t seed) : ring{3, spec(seed)} {
    undo.write({kFile, "[Network]\nbefore\n", 0644, "root:root"});
    undo.remove("/etc/systemd/network/11-new.network");
    write(kFile, "[Network]\nbefore\n");
  }
  static lab::LabSpec spec(std::uint64_t seed) {
    lab::LabSpec spec;
    spec.seed = seed;
    return spec;
  }
  remote::StepResult run(const remote::Step& step) {
    const remote::Command command = remote::command_for(step);
    const lab::ExecResult done =
        ring.exec(1, remote::command_line(command.argv), command.standard_input);
    remote::StepResult result;
    result.output = {done.exit_status, done.standard_output, done.standard_error};
    INFO(done.standard_error);
    return result;
  }
  int write(const std::string& path, const std::string& text) {
    return run(remote::step::WriteFile{path, text, 0644, "root:root"}).output.exit_status;
  }
  remote::StepResult arm(bool across_reboot = false) {
    return run(kTimer.arm({kToken, "action a0001 of pve1", Duration{20'000}, across_reboot}, undo));
  }
  GuardState say(const remote::Step& step) { return kTimer.state(run(step)); }
  // Until it has booted, and `then` longer.
  void power_cut(Duration then = Duration{0}) {
    ring.lab.cut_power(lab::pve(1));
    ring.wait(Duration{5'000} + then);
    REQUIRE(ring.lab.power(lab::pve(1)) == lab::Power::up);
  }
  std::string file(const std::string& path = kFile) {
    return ring.lab.read_file(lab::pve(1), path).value_or("absent");
  }
  bool has_unit() {
    const std::string unit = "/etc/systemd/system/fabric-guard-" + kToken;
    return file(unit + ".timer") != "absent" || file(unit + ".service") != "absent";
  }

  lab::RingLab ring;
  WorkSteps undo;
};

}  // namespace

TEST_CASE("a timer that is said to be disarmed is so after a power cut", "[execute]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const bool across_reboot : {false, true}) {
      Node node{seed};
      REQUIRE(node.arm(across_reboot).output.exit_status == 0);
      REQUIRE(node.write(kFile, "[Network]\nafter\n") == 0);
      REQUIRE(node.say(kTimer.disarm(kToken)) == GuardState::disarmed);
      node.power_cut(Duration{60'000});
      CHECK(node.say(kTimer.ask(kToken)) == GuardState::disarmed);
      CHECK(node.file() == "[Network]\nafter\n");
      CHECK_FALSE(node.has_unit());
      CHECK(kTimer.found(node.run(kTimer.find())).empty());
    }
  }
}

TEST_CASE("a timer that is said to be armed fires after a power cut", "[execute]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const bool across_reboot : {false, true}) {
      Node node{seed};
      REQUIRE(node.arm(across_reboot).output.exit_status == 0);
      REQUIRE(node.write(kFile, "[Network]\nafter\n") == 0);
      REQUIRE(node.write("/etc/systemd/network/11-new.network", "new\n") == 0);
      node.power_cut(Duration{60'000});
      CHECK(node.say(kTimer.ask(kToken)) == GuardState::rolled_back);
      CHECK(node.file() == "[Network]\nbefore\n");
      CHECK(node.file("/etc/systemd/network/11-new.network") == "absent");
      // And what it says survives the next.
      node.power_cut();
      CHECK(node.say(kTimer.ask(kToken)) == GuardState::rolled_back);
      CHECK(node.file() == "[Network]\nbefore\n");
      CHECK(node.say(kTimer.clear(kToken)) == GuardState::disarmed);
      REQUIRE(node.write(kFile, "[Network]\nlater\n") == 0);
      node.power_cut(Duration{60'000});
      CHECK(node.file() == "[Network]\nlater\n");
      CHECK_FALSE(node.has_unit());
    }
  }
}

TEST_CASE("a cluster manager's power cycle does not bring back a timer", "[execute]") {
  // rollout.reboot.command may switch the node off and on right after the disarming of another
  // action: nothing but the disarming itself has flushed anything.
  Node node{7};
  REQUIRE(node.arm().output.exit_status == 0);
  REQUIRE(node.say(kTimer.disarm(kToken)) == GuardState::disarmed);
  CHECK(node.ring.lab.unsynced_files(lab::pve(1)).empty());
}

TEST_CASE("an arming that comes after its timer was given up arms nothing", "[execute]") {
  Node node{1};
  // Nobody knew whether it was armed, and now it comes.
  REQUIRE(node.say(kTimer.disarm(kToken)) == GuardState::disarmed);
  const remote::StepResult late = node.arm();
  CHECK(late.output.exit_status == 75);
  CHECK(late.output.standard_error.find("it came too late") != std::string::npos);
  CHECK(node.say(kTimer.ask(kToken)) == GuardState::disarmed);
  CHECK_FALSE(node.has_unit());
  REQUIRE(node.write(kFile, "[Network]\nafter\n") == 0);
  node.ring.wait(Duration{60'000});
  CHECK(node.file() == "[Network]\nafter\n");
  // What was armed and disarmed is not armed again by the twin of its order either.
  Node twice{2};
  REQUIRE(twice.arm().output.exit_status == 0);
  REQUIRE(twice.say(kTimer.disarm(kToken)) == GuardState::disarmed);
  CHECK(twice.arm().output.exit_status == 75);
  CHECK_FALSE(twice.has_unit());
}

TEST_CASE("an arming that is repeated does not arm what has fired", "[execute]") {
  Node node{1};
  REQUIRE(node.arm().output.exit_status == 0);
  REQUIRE(node.write(kFile, "[Network]\nafter\n") == 0);
  SECTION("while it waits, its time begins anew") {
    node.ring.wait(Duration{15'000});
    CHECK(node.arm().output.exit_status == 0);
    node.ring.wait(Duration{10'000});
    CHECK(node.say(kTimer.ask(kToken)) == GuardState::armed);
    node.ring.wait(Duration{30'000});
    CHECK(node.say(kTimer.ask(kToken)) == GuardState::rolled_back);
  }
  SECTION("after it has fired") {
    node.ring.wait(Duration{30'000});
    CHECK(node.arm().output.exit_status == 75);
    CHECK(node.say(kTimer.ask(kToken)) == GuardState::rolled_back);
    CHECK(node.file() == "[Network]\nbefore\n");
  }
}

TEST_CASE("what an arming or a disarming left that was cut short is cleared away", "[execute]") {
  Node node{1};
  node.run(remote::step::Run{
      {{"sh",
        "-c",
        "mkdir -p /var/lib/fabric/guard/fedcba9876543210; "
        "echo x >/var/lib/fabric/guard/fedcba9876543210/disarmed; "
        "echo x >/etc/systemd/system/fabric-guard-fedcba9876543210.timer"},
       {}},
      false});
  REQUIRE(node.arm().output.exit_status == 0);
  CHECK(node.file("/var/lib/fabric/guard/fedcba9876543210/disarmed") == "absent");
  CHECK(node.file("/etc/systemd/system/fabric-guard-fedcba9876543210.timer") == "absent");
}

TEST_CASE("a lock is taken and given up for good", "[execute]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Node node{seed};
    const platform::LeaseHolder holder{"run-1", "root@here", "here", "1.1"};
    node.run(kLock.take(holder, Duration{300'000}, ""));
    CHECK(node.ring.lab.unsynced_files(lab::pve(1)).empty());
    node.power_cut();
    const auto read = kLock.answer(node.run(kLock.read()));
    REQUIRE(read);
    REQUIRE(read->found);
    CHECK(read->found->holder == holder);
    node.run(kLock.release("run-1"));
    node.power_cut();
    CHECK_FALSE(kLock.answer(node.run(kLock.read()))->found);
  }
}

TEST_CASE("a file is written and removed for good, with the folders that it needs", "[execute]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Node node{seed};
    REQUIRE(node.write("/etc/made/by/fabric.conf", "text\n") == 0);
    node.power_cut();
    CHECK(node.file("/etc/made/by/fabric.conf") == "text\n");
    REQUIRE(node.run(remote::step::RemoveFile{"/etc/made/by/fabric.conf"}).output.exit_status == 0);
    node.power_cut();
    CHECK(node.file("/etc/made/by/fabric.conf") == "absent");
  }
}

TEST_CASE("whatever commands wrote is on the disk after a flush", "[execute]") {
  Node node{1};
  node.run(remote::step::Run{
      {{"sh", "-c", "echo x >/boot/x; echo y >/etc/y; rm /etc/hostname"}, {}}, false});
  REQUIRE(node.ring.lab.unsynced_files(lab::pve(1)).size() == 3);
  const auto flush = platform::linux_platform().flush_step();
  REQUIRE(flush);
  CHECK(node.run(*flush).output.exit_status == 0);
  CHECK(node.ring.lab.unsynced_files(lab::pve(1)).empty());
}
