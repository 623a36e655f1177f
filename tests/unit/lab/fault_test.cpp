// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/runner.hpp"
#include "engine/remote/perform.hpp"
#include "engine/remote/shell.hpp"

#include "tests/support/simulated_lab.hpp"
#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

TEST_CASE(
    "a lost reply leaves the effect, a lost command does not, and both happen once", "[lab]") {
  RingLab ring{3};
  REQUIRE(ring.lab.set_fault(pve(1), Fault::lost_reply));
  CHECK(ring.exec(1, "cat /etc/hostname").delivery == Delivery::normal);  // changes nothing
  CHECK(ring.exec(1, "echo a > /etc/a").delivery == Delivery::lost_reply);
  CHECK(ring.out(1, "cat /etc/a") == "a\n");
  REQUIRE(ring.lab.set_fault(pve(1), Fault::lost_command));
  CHECK(ring.exec(1, "echo b > /etc/b").delivery == Delivery::lost_command);
  CHECK(ring.exec(1, "cat /etc/b").exit_status == 1);
  CHECK(ring.exec(1, "echo b > /etc/b").delivery == Delivery::normal);
}

TEST_CASE("a lying host prints success and changes nothing", "[lab]") {
  RingLab ring{3};
  const std::string before = ring.lab.digest(pve(1));
  REQUIRE(ring.lab.set_fault(pve(1), Fault::lying_exit));
  const ExecResult set =
      ring.exec(1, "mstconfig -d 01:00.0 -y set LINK_TYPE_P1=2 && echo x > /etc/x");
  CHECK(set.exit_status == 0);
  CHECK(set.standard_output.find("Done!") != std::string::npos);
  CHECK(ring.lab.digest(pve(1)) == before);
  CHECK(ring.exec(1, "systemctl reboot").exit_status == 0);
  CHECK(ring.lab.power(pve(1)) == Power::up);
}

TEST_CASE("boot faults: slow, never, and switched on again", "[lab]") {
  RingLab ring{3};
  REQUIRE(ring.lab.set_fault(pve(1), Fault::slow_boot));
  ring.exec(1, "reboot");
  ring.wait(Duration{10'000});
  CHECK(ring.lab.power(pve(1)) == Power::booting);
  ring.wait(Duration{15'000});
  CHECK(ring.lab.power(pve(1)) == Power::up);
  REQUIRE(ring.lab.set_fault(pve(1), Fault::no_boot));
  ring.exec(1, "reboot");
  ring.wait(Duration{600'000});
  CHECK(ring.lab.power(pve(1)) == Power::dead);
  REQUIRE(ring.lab.set_fault(pve(1), Fault::none));
  ring.wait(Duration{3000});
  CHECK(ring.lab.power(pve(1)) == Power::up);
}

TEST_CASE(
    "a power loss in the middle of a command ends it there and the host boots again", "[lab]") {
  RingLab ring{3};
  REQUIRE(ring.lab.set_fault(pve(1), Fault::power_loss));
  const ExecResult result = ring.exec(1, "for i in 1 2 3 4 5 6; do echo x > /etc/file$i; done");
  CHECK(result.host_down);
  CHECK_FALSE(ring.lab.read_file(pve(1), "/etc/file6").has_value());
  CHECK(ring.lab.touched_files(pve(1)).size() <= 2);
  ring.wait(Duration{3000});
  CHECK(ring.lab.power(pve(1)) == Power::up);
}

TEST_CASE("a host boots twice once, and its clock jumps by a day once", "[lab]") {
  RingLab ring{3};
  const std::string before = ring.out(1, "cat /proc/sys/kernel/random/boot_id");
  REQUIRE(ring.lab.set_fault(pve(1), Fault::boots_twice));
  ring.exec(1, "reboot");
  ring.wait(Duration{60'000});
  CHECK(ring.lab.power(pve(1)) == Power::up);
  CHECK(ring.lab.fault(pve(1)) == Fault::none);
  CHECK(ring.lab.monitor().reboots == 1);  // the other one is nobody's
  CHECK(ring.out(1, "cat /proc/sys/kernel/random/boot_id") != before);

  const long long then = std::stoll(ring.out(1, "date +%s"));
  REQUIRE(ring.lab.set_fault(pve(1), Fault::clock_jump));
  ring.exec(1, "echo x > /etc/x");
  CHECK(std::stoll(ring.out(1, "date +%s")) - then >= 86'400);
  ring.exec(1, "echo y > /etc/x");
  CHECK(std::stoll(ring.out(1, "date +%s")) - then < 90'000);
}

TEST_CASE("input that is cut in two never becomes a file of ours", "[lab]") {
  RingLab ring{3};
  const remote::Command write = remote::command_for(
      remote::Step{remote::step::WriteFile{"/etc/whole", "first line\nsecond line\n"}});
  const std::string line = remote::command_line(write.argv);
  REQUIRE(ring.lab.set_fault(pve(1), Fault::torn_input));
  const ExecResult torn = ring.lab.exec(pve(1), "root", line, write.standard_input);
  CHECK(torn.delivery == Delivery::lost_reply);
  CHECK_FALSE(ring.lab.read_file(pve(1), "/etc/whole").has_value());
  const ExecResult again = ring.lab.exec(pve(1), "root", line, write.standard_input);
  CHECK(again.exit_status == 0);
  CHECK(ring.lab.read_file(pve(1), "/etc/whole") == "first line\nsecond line\n");
}

TEST_CASE("refused, stalled and full hosts stay so until the fault is taken away", "[lab]") {
  RingLab ring{3};
  REQUIRE(ring.lab.set_fault(pve(1), Fault::refused));
  CHECK_FALSE(ring.lab.accepts_connections(pve(1)));
  REQUIRE(ring.lab.set_fault(pve(1), Fault::stall));
  CHECK(ring.exec(1, "true").delivery == Delivery::stall);
  CHECK(ring.exec(1, "true").delivery == Delivery::stall);
  REQUIRE(ring.lab.set_fault(pve(1), Fault::disk_full));
  CHECK(
      ring.exec(1, "echo x > /etc/x").standard_error ==
      "sh: 1: cannot create /etc/x: No space left on device\n");
  REQUIRE(ring.lab.set_fault(pve(1), Fault::none));
  CHECK(ring.exec(1, "echo x > /etc/x").exit_status == 0);
  CHECK(ring.lab.set_fault(node_name("nobody"), Fault::stall).error().code == ErrorCode::not_found);
}

TEST_CASE("the monitor sees neighbours that are down together", "[lab]") {
  RingLab ring{4};
  ring.exec(1, "reboot");
  ring.wait(Duration{5000});
  ring.exec(1, "reboot");
  ring.exec(3, "reboot");
  CHECK(ring.lab.monitor().most_down_at_once == 2);
  CHECK(ring.lab.monitor().neighbours_down_together.empty());
  ring.exec(2, "reboot");
  CHECK(ring.lab.monitor().most_down_at_once == 3);
  CHECK(
      ring.lab.monitor().neighbours_down_together ==
      std::vector<std::string>{"pve1 pve2", "pve2 pve3"});
  CHECK(ring.lab.monitor().reboots == 4);
  CHECK(ring.lab.monitor().reboots_by_node.at("pve1") == 2);
}

TEST_CASE("the same seed gives the same hosts, another seed others", "[lab]") {
  const auto digest_of = [](std::uint64_t seed) {
    LabSpec spec;
    spec.seed = seed;
    spec.fault_percent = 20;
    RingLab ring{3, spec};
    for (int i = 0; i < 30; ++i) {
      if (ring.lab.accepts_connections(pve(1)))
        ring.exec(
            1, fmt::format("echo $$ > /etc/f{}; mstconfig -d 01:00.0 -y set NUM_OF_VFS={}", i, i));
      ring.wait(Duration{1000});
    }
    ring.wait(Duration{10'000});
    return ring.lab.digest(pve(1)) + ring.lab.read_file(pve(1), "/etc/machine-id").value_or("") +
           ring.out(1, "cat /proc/sys/kernel/random/boot_id");
  };
  CHECK(digest_of(1) == digest_of(1));
  CHECK(digest_of(1) != digest_of(2));
}

TEST_CASE("the runner performs steps in virtual time, one after the other on a node", "[lab]") {
  Lab lab{ring_document(3), test::simulated()};
  Runner runner{lab};
  const auto run = [](std::string text) {
    return remote::Step{
        remote::step::Run{{{"sh", "-c", std::move(text)}, "", Duration{30'000}}, false}};
  };
  runner.start({1, pve(1), run("sleep 3; echo one")});
  runner.start({2, pve(1), run("echo two")});
  runner.start(
      {3, pve(2), remote::step::WriteFile{"/etc/fabric/x.conf", "hello\n", 0640, "root:root"}});
  std::vector<remote::Ticket> order;
  std::vector<std::string> outputs;
  for (int i = 0; i < 3; ++i) {
    const std::optional<remote::StepResult> result = runner.wait_any(Duration{60'000});
    REQUIRE(result);
    CHECK(result->outcome == remote::Outcome::succeeded);
    CHECK(result->output.standard_error.empty());
    order.push_back(result->ticket);
    outputs.push_back(result->output.standard_output);
  }
  CHECK(order == std::vector<remote::Ticket>{3, 1, 2});
  CHECK(outputs == std::vector<std::string>{"", "one\n", "two\n"});
  CHECK(lab.read_file(pve(2), "/etc/fabric/x.conf") == "hello\n");
  CHECK(lab.touched_files(pve(2)).size() == 3);  // the folder, the temporary, the file
  runner.start({4, pve(1), run("sleep 40")});
  CHECK_FALSE(runner.wait_any(Duration{1000}));
  const std::optional<remote::StepResult> late = runner.wait_any(Duration{60'000});
  REQUIRE(late);
  CHECK(late->outcome == remote::Outcome::unknown);
  CHECK(late->error.code == ErrorCode::timed_out);
  runner.start({5, pve(3), run("reboot")});
  REQUIRE(runner.wait_any(Duration{1000}));
  runner.start({6, pve(3), remote::step::Pause{Duration{1000}}});
  runner.start({7, pve(3), run("true")});
  REQUIRE(runner.wait_any(Duration{5000}));
  const std::optional<remote::StepResult> refused = runner.wait_any(Duration{5000});
  REQUIRE(refused);
  CHECK(refused->outcome == remote::Outcome::failed);
  CHECK(refused->error.code == ErrorCode::unreachable);
  REQUIRE(runner.identity(pve(1)));
  CHECK(
      runner.identity(pve(1))->host_key_fingerprint !=
      runner.identity(pve(2))->host_key_fingerprint);
}

TEST_CASE("lab.yaml is read with its places, and its mistakes are found", "[lab]") {
  const FabricSpec fabric = ring_document(3);
  const auto load = [&](const std::string& text, Diagnostics& diagnostics) {
    SourceMap sources;
    const FileId file = sources.add("lab.yaml", text);
    return load_lab(sources, file, fabric, diagnostics);
  };
  Diagnostics none;
  const LabSpec lab = load(
      "seed: 9\nhosts:\n  \"pve[1-2]\":\n    boot_time: 500ms\n    lldpd: false\n    fault: "
      "lost-reply\n    fault_after: 3\n"
      "    adapters: {cx5: {firmware: 16.22.1002, settings: {LINK_TYPE_P1: ETH}, missing: false}}\n"
      "cables: [[pve1/1, pve3/cx5/2]]\nunplugged: [pve2/1]\n",
      none);
  CHECK(none.empty());
  CHECK(lab.seed == 9);
  CHECK(lab.hosts.at("pve2").boot_time == Duration{500});
  CHECK(lab.hosts.at("pve1").fault == Fault::lost_reply);
  CHECK(lab.hosts.at("pve1").adapters.at("cx5").firmware == "16.22.1002");
  REQUIRE(lab.cables);
  CHECK(lab.cables->front().b.str() == "pve3/cx5/2");
  CHECK(lab.unplugged.front().str() == "pve2/cx5/1");
  Diagnostics several;
  load(
      "hosts:\n  pve9: {}\n  pve1: {adapters: {cx9: {}}, boot: 2s}\nunplugged: [pve1/3]\n",
      several);
  several.sort();
  std::vector<std::string> rules;
  for (const Diagnostic& diagnostic : several.items())
    rules.push_back(diagnostic.rule);
  CHECK(
      rules ==
      std::vector<std::string>{"node-unknown", "port-unknown", "unknown-key", "port-unknown"});
}

}  // namespace
}  // namespace fabric::lab
