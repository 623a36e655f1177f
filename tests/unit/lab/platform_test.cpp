// SPDX-License-Identifier: Apache-2.0
// A platform that the lab does not have: its machine comes by a maker, from the document, and meets
// time, power and faults like any other.
#include "engine/lab/runner.hpp"

#include "tests/support/simulated_lab.hpp"
#include "tests/unit/lab/prompt_switch.hpp"
#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

FabricSpec switch_document(const std::string& platform = "mlnx-os") {
  return load_text(
      "apiVersion: fabric/v1\nname: star\n"
      "nodes:\n  pve[1-2]: {adapters: {cx5: {model: connectx-5-en, ports: 1}}}\n"
      "  sw1: {platform: " +
      platform +
      "}\n"
      "networks:\n  lan:\n    mode: ethernet\n    ipv4: {subnet: 10.30.0.0/24}\n"
      "    cables: [[pve1/1, sw1/1], [pve2/1, sw1/2]]\n");
}

LabSpec with_switch() {
  LabSpec spec;
  spec.makers[Platform::mlnx_os] = prompt_switch_maker();
  return spec;
}

struct SwitchLab {
  remote::StepResult perform(const std::string& node, remote::Step step) {
    runner.start({++ticket, node_name(node), std::move(step)});
    while (true) {
      const std::optional<remote::StepResult> result = runner.wait_any(Duration{600'000});
      if (result) return *result;
    }
  }
  remote::StepResult say(std::vector<std::string> lines) {
    return perform("sw1", remote::step::Converse{prompt_switch_dialect(), std::move(lines)});
  }
  // What the switch has: "" = nothing. Asked for without fault or time.
  std::string has(const std::string& key) {
    const Fault fault = lab.fault(sw1);
    REQUIRE(lab.set_fault(sw1, Fault::none));
    const remote::StepResult shown = say({"show " + key});
    REQUIRE(lab.set_fault(sw1, fault));
    REQUIRE(shown.outcome == remote::Outcome::succeeded);
    return shown.output.standard_output;
  }
  void wait(Duration duration) { perform("pve1", remote::step::Pause{duration}); }

  NodeName sw1 = node_name("sw1");
  Lab lab{switch_document(), test::simulated(with_switch())};
  Runner runner{lab};
  remote::Ticket ticket = 0;
};

TEST_CASE("a platform without a maker stays a name at the end of its cables", "[lab]") {
  FabricSpec document = switch_document();
  document.nodes.at(node_name("sw1")).platform.value = Platform::unmanaged;
  const Lab lab{document, test::simulated()};
  CHECK(lab.nodes() == std::vector{pve(1), pve(2)});
  CHECK_FALSE(lab.accepts_connections(node_name("sw1")));
}

TEST_CASE("lines at a prompt: modes, pager, question, refusal and nothing kept", "[lab]") {
  SwitchLab bench;
  CHECK(bench.lab.nodes() == std::vector{pve(1), pve(2), bench.sw1});
  CHECK(bench.runner.identity(bench.sw1)->host_key_fingerprint == "SHA256:labsw1");
  const remote::StepResult set = bench.say({"set a 1", "set b 2", "set c 3", "set d 4", "show b"});
  CHECK(set.outcome == remote::Outcome::succeeded);
  CHECK(set.output.exit_status == 0);
  CHECK(set.replies.size() == 5);
  CHECK(set.replies.back() == remote::Reply{"2\n", false});
  CHECK(bench.say({"show all"}).output.standard_output == "a 1\nb 2\nc 3\nd 4\n");

  const remote::StepResult refused = bench.say({"set a 5", "sett b 6", "set c 7"});
  CHECK(refused.outcome == remote::Outcome::succeeded);
  CHECK(refused.output.exit_status == 1);
  CHECK(refused.output.standard_error == "% Unrecognized command \"sett b 6\".\n");
  CHECK(refused.replies.size() == 2);
  CHECK(refused.replies.back().refused);
  CHECK(bench.has("a") == "5\n");
  CHECK(bench.has("c") == "3\n");
}

TEST_CASE("a shell command and lines at a prompt each need a machine that has them", "[lab]") {
  SwitchLab bench;
  const remote::StepResult shell =
      bench.perform("sw1", remote::step::Run{{{"true"}, "", Duration{5'000}}, false});
  CHECK(shell.output.exit_status != 0);
  const remote::StepResult prompt =
      bench.perform("pve1", remote::step::Converse{prompt_switch_dialect(), {"show a"}});
  CHECK(prompt.outcome == remote::Outcome::failed);
  CHECK(prompt.error.message == "pve1: the machine has no prompt");
}

TEST_CASE("faults meet lines at a prompt as they meet commands", "[lab]") {
  SwitchLab bench;
  REQUIRE(bench.lab.set_fault(bench.sw1, Fault::lost_reply));
  CHECK(bench.say({"show a"}).outcome == remote::Outcome::succeeded);  // changes nothing
  CHECK(bench.say({"set a 1"}).outcome == remote::Outcome::unknown);
  CHECK(bench.has("a") == "1\n");

  REQUIRE(bench.lab.set_fault(bench.sw1, Fault::lost_command));
  CHECK(bench.say({"set a 2"}).error.code == ErrorCode::maybe_applied);
  CHECK(bench.has("a") == "1\n");
  CHECK(bench.say({"set a 2"}).outcome == remote::Outcome::succeeded);

  REQUIRE(bench.lab.set_fault(bench.sw1, Fault::lying_exit));
  CHECK(bench.say({"set a 3"}).output.exit_status == 0);
  CHECK(bench.has("a") == "2\n");

  REQUIRE(bench.lab.set_fault(bench.sw1, Fault::stall));
  CHECK(bench.say({"show a"}).error.code == ErrorCode::timed_out);
  REQUIRE(bench.lab.set_fault(bench.sw1, Fault::refused));
  CHECK(bench.say({"show a"}).error.code == ErrorCode::unreachable);
  REQUIRE(bench.lab.set_fault(bench.sw1, Fault::torn_input));
  CHECK(bench.say({"set a 4", "set b 4"}).outcome == remote::Outcome::unknown);
  CHECK(bench.has("a") == "4\n");
  CHECK(bench.has("b").empty());
}

TEST_CASE("a switch with a prompt boots, loses its power, and keeps what was written", "[lab]") {
  SwitchLab bench;
  bench.say({"set a 1", "write", "set b 2"});
  const TimePoint before = bench.runner.clock().now();
  CHECK(bench.say({"reload"}).outcome == remote::Outcome::succeeded);  // it goes down in a second
  bench.wait(Duration{10'000});
  CHECK(bench.lab.power(bench.sw1) == Power::booting);
  CHECK(bench.say({"show a"}).error.code == ErrorCode::unreachable);
  bench.wait(Duration{60'000});
  CHECK(bench.lab.power(bench.sw1) == Power::up);
  CHECK(bench.runner.clock().now() - before < Duration{75'000});
  CHECK(bench.has("a") == "1\n");
  CHECK(bench.has("b").empty());
  CHECK(bench.lab.monitor().reboots_by_node.at("sw1") == 1);

  REQUIRE(bench.lab.set_fault(bench.sw1, Fault::power_loss));
  CHECK(bench.say({"set c 1", "set c 2", "set c 3", "write"}).outcome == remote::Outcome::unknown);
  CHECK(bench.lab.power(bench.sw1) == Power::booting);
  bench.wait(Duration{61'000});
  CHECK(bench.has("c").empty());
}

TEST_CASE("the hosts see the switch's ports, its LLDP and its power", "[lab]") {
  SwitchLab bench;
  const auto carrier = [&] {
    return bench.lab.exec(pve(1), "root", "ip -br link show enp1s0np0", "").standard_output;
  };
  REQUIRE(bench.lab.exec(pve(1), "root", "ip link set enp1s0np0 up", "").exit_status == 0);
  CHECK(carrier().find(" UP ") != std::string::npos);
  CHECK(
      bench.lab.exec(pve(1), "root", "lldpcli show neighbors", "")
          .standard_output.find("SysName:      sw1") != std::string::npos);
  bench.say({"set port.1/1 down"});
  CHECK(carrier().find(" UP ") == std::string::npos);
  bench.say({"set port.1/1 up"});
  CHECK(carrier().find(" UP ") != std::string::npos);
  REQUIRE(bench.lab.set_fault(bench.sw1, Fault::no_boot));
  bench.say({"reload"});
  bench.wait(Duration{5'000});
  CHECK(bench.lab.power(bench.sw1) == Power::dead);
  CHECK(carrier().find(" UP ") == std::string::npos);
}

TEST_CASE("a session at a prompt keeps its mode until the machine goes down", "[lab]") {
  SwitchLab bench;
  ExecResult greeting;
  CHECK(bench.lab.open_prompt(pve(1), "root", greeting) == 0);
  const std::uint64_t session = bench.lab.open_prompt(bench.sw1, "admin", greeting);
  REQUIRE(session != 0);
  CHECK(greeting.standard_output.ends_with("sw1 > "));
  const auto typed = [&](const std::string& keys) {
    return bench.lab.perform(bench.sw1, "admin", TypedKeys{session, keys}).standard_output;
  };
  CHECK(typed("ena") == "ena");
  CHECK(typed("ble\n") == "ble\r\nsw1 # ");
  CHECK(typed("reload\n").ends_with("[no] "));
  typed("yes\n");
  CHECK_FALSE(bench.lab.prompt_ended(session));
  bench.wait(Duration{5'000});
  CHECK(bench.lab.prompt_ended(session));
}

}  // namespace
}  // namespace fabric::lab
