// SPDX-License-Identifier: Apache-2.0
// Our own SSH client against the lab's server, over real sockets.
#include "engine/labserver/lab_service.hpp"

#include <set>

#include <unistd.h>

#include "engine/ssh/runner.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/labserver/running_lab.hpp"
#include "tests/unit/model/ring_spec.hpp"

using fabric::Duration;
using fabric::ErrorCode;
using fabric::FabricSpec;
using fabric::Map;
using fabric::NodeName;
using fabric::Result;
using fabric::Value;
using fabric::labserver::LabInfo;
using fabric::labserver::read_lab_info;
using fabric::labserver::request;
using fabric::remote::Command;
using fabric::remote::Outcome;
using fabric::remote::StepResult;
namespace step = fabric::remote::step;
namespace ssh = fabric::ssh;
using fabric::labserver::RunningLab;
using fabric::labserver::ServeOptions;
using fabric::labserver::TemporaryFolder;

namespace {

class Client {
 public:
  explicit Client(const RunningLab& lab) : runner_{lab.targets(), lab.options(), lab.clock()} {}

  StepResult perform(const std::string& node, fabric::remote::Step step) {
    runner_.start({++ticket_, *NodeName::parse(node), std::move(step)});
    auto result = runner_.wait_any(Duration{400'000});
    REQUIRE(result);
    CHECK(result->ticket == ticket_);
    INFO(result->error.message);
    return *result;
  }
  StepResult sh(
      const std::string& node, const std::string& script, Duration timeout = Duration{60'000}) {
    return perform(node, step::Run{Command{{"sh", "-c", script}, "", timeout}, false});
  }
  ssh::Runner& runner() { return runner_; }

 private:
  ssh::Runner runner_;
  fabric::remote::Ticket ticket_ = 0;
};

FabricSpec separate_hosts(std::uint32_t count) {
  FabricSpec spec;
  for (std::uint32_t i = 1; i <= count; ++i) {
    fabric::NodeSpec node = fabric::test::host(i, "connectx-5-vpi");
    spec.nodes.emplace(node.name, std::move(node));
  }
  return spec;
}

constexpr auto kBootId = "cat /proc/sys/kernel/random/boot_id";

}  // namespace

TEST_CASE("commands run on simulated hosts over real SSH", "[labserver]") {
  const RunningLab lab{fabric::test::ring(4)};
  CHECK(lab.info().pid == getpid());
  CHECK(lab.info().document == std::vector<std::string>{"fabric.yaml"});
  Client client{lab};
  const StepResult result = client.sh("n1", "echo out; echo err >&2; exit 3");
  CHECK(result.outcome == Outcome::succeeded);
  CHECK(result.output.exit_status == 3);
  CHECK(result.output.standard_output == "out\n");
  CHECK(result.output.standard_error == "err\n");
  CHECK(client.sh("n2", "no-such-command").output.exit_status == 127);
  CHECK(
      client.runner().identity(*NodeName::parse("n1"))->host_key_fingerprint !=
      client.runner().identity(*NodeName::parse("n2"))->host_key_fingerprint);
}

TEST_CASE("a large file goes out and comes back whole", "[labserver]") {
  const RunningLab lab{fabric::test::ring(2)};
  Client client{lab};
  std::string content;
  for (int i = 0; content.size() < 3'000'000; ++i)
    content += std::to_string(i) + "\n";
  const StepResult written = client.perform("n1", step::WriteFile{"/etc/fabric/large", content});
  INFO(written.output.standard_error);
  REQUIRE(written.outcome == Outcome::succeeded);
  CHECK(written.output.exit_status == 0);
  const StepResult read =
      client.perform("n1", step::Run{Command{{"cat", "/etc/fabric/large"}, ""}, false});
  CHECK(read.output.standard_output == content);
  CHECK(client.sh("n2", "cat /etc/fabric/large").output.exit_status != 0);
}

TEST_CASE("a reboot drops the connection and ends in a new boot_id", "[labserver]") {
  const RunningLab lab{fabric::test::ring(2)};
  Client client{lab};
  const std::string before = client.sh("n1", kBootId).output.standard_output;
  const std::string other = client.sh("n2", kBootId).output.standard_output;
  const auto fault = [&](const std::string& what) {
    return request(lab.directory(), Map{{"verb", "fault"}, {"node", "n1"}, {"fault", what}});
  };
  // It stays down until it has been seen so.
  REQUIRE(fault("no-boot"));
  const StepResult reboot = client.sh("n1", "systemctl reboot; sleep 60", Duration{300'000});
  CHECK(reboot.outcome == Outcome::unknown);
  CHECK(reboot.error.code == ErrorCode::maybe_applied);

  const auto ask = [&] {
    return client.perform("n1", step::Run{Command{{"sh", "-c", kBootId}, ""}, true});
  };
  const StepResult refused = ask();
  CHECK(refused.outcome == Outcome::failed);
  CHECK(refused.error.code == ErrorCode::unreachable);
  REQUIRE(fault("none"));
  std::string after;
  while (after.empty()) {  // no longer than ctest lets it
    const StepResult result = ask();
    if (result.outcome == Outcome::succeeded) after = result.output.standard_output;
    usleep(50'000);
  }
  CHECK(after.size() == 37);
  CHECK(after != before);
  CHECK(client.sh("n2", kBootId).output.standard_output == other);
  const auto status = request(lab.directory(), Map{{"verb", "status"}});
  REQUIRE(status);
  CHECK(*status->find("monitor")->find("reboots")->as_integer() == 1);
  CHECK(*status->find("nodes")->find("n1")->find("boots")->as_integer() == 1);
  CHECK(status->find("nodes")->find("n1")->string_or_empty("power") == "up");
}

TEST_CASE("faults asked for over the control socket reach the client", "[labserver]") {
  const RunningLab lab{fabric::test::ring(2)};
  Client client{lab};
  const auto fault = [&](const std::string& node, const std::string& what) {
    return request(lab.directory(), Map{{"verb", "fault"}, {"node", node}, {"fault", what}});
  };
  REQUIRE(fault("n1", "lost-reply"));
  const StepResult lost = client.sh("n1", "echo x > /root/happened");
  CHECK(lost.outcome == Outcome::unknown);
  // It was met, once.
  CHECK(
      request(lab.directory(), Map{{"verb", "status"}})
          ->find("nodes")
          ->find("n1")
          ->string_or_empty("fault") == "none");
  CHECK(client.sh("n1", "test -f /root/happened").output.exit_status == 0);

  REQUIRE(fault("n1", "lost-command"));
  CHECK(client.sh("n1", "echo x > /root/not-happened").outcome == Outcome::unknown);
  CHECK(client.sh("n1", "test -f /root/not-happened").output.exit_status == 1);

  REQUIRE(fault("n1", "stall"));
  const StepResult stalled = client.sh("n1", "true", Duration{300});
  CHECK(stalled.outcome == Outcome::unknown);
  CHECK(stalled.error.code == ErrorCode::timed_out);
  CHECK(client.sh("n2", "true").outcome == Outcome::succeeded);
  const auto status = request(lab.directory(), Map{{"verb", "status"}});
  REQUIRE(status);
  CHECK(status->find("nodes")->find("n1")->string_or_empty("fault") == "stall");

  REQUIRE(fault("n2", "refused"));
  const StepResult refused = client.perform("n2", step::Run{Command{{"true"}, ""}, true});
  CHECK(refused.outcome == Outcome::failed);
  CHECK(refused.error.code == ErrorCode::unreachable);

  CHECK(fault("n9", "none").error().code == ErrorCode::not_found);
  CHECK(fault("n1", "no-such-fault").error().code == ErrorCode::invalid);
  CHECK(
      request(lab.directory(), Map{{"verb", "dance"}}).error().message ==
      "the lab has no verb 'dance'");
}

TEST_CASE("latency is added to every reply", "[labserver]") {
  const RunningLab lab{fabric::test::ring(2), Duration{200}};
  Client client{lab};
  client.sh("n1", "true");
  const auto begun = lab.clock().now();
  client.sh("n1", "true");
  CHECK(lab.clock().now() - begun >= Duration{200});
}

TEST_CASE("20 hosts answer at once, each on an address of its own", "[labserver]") {
  const RunningLab lab{separate_hosts(20)};
  std::set<std::string> addresses;
  for (const auto& [node, address] : lab.info().addresses)
    addresses.insert(address);
  CHECK(addresses.size() == 20);
  CHECK(addresses.begin()->substr(0, 4) == "127.");
  ssh::Runner runner{lab.targets(), lab.options(), lab.clock()};
  fabric::remote::Ticket ticket = 0;
  for (const auto& [node, target] : lab.targets()) {
    runner.start({++ticket, node, step::Run{Command{{"hostname"}, ""}, false}});
  }
  std::set<std::string> names;
  for (int i = 0; i < 20; ++i) {
    const auto result = runner.wait_any(Duration{90'000});
    REQUIRE(result);
    INFO(result->error.message);
    CHECK(result->outcome == Outcome::succeeded);
    names.insert(result->output.standard_output);
  }
  CHECK(names.size() == 20);
}

TEST_CASE("another key than the lab's is refused", "[labserver]") {
  const RunningLab lab{fabric::test::ring(2)};
  const TemporaryFolder folder;
  const std::string other = folder.path() + "/id";
  REQUIRE(std::system(("ssh-keygen -q -t ed25519 -N '' -f " + other).c_str()) == 0);
  auto targets = lab.targets();
  targets.begin()->second.identity_files = {other};
  ssh::Runner runner{targets, lab.options(), lab.clock()};
  runner.start({1, targets.begin()->first, step::Run{Command{{"true"}, ""}, false}});
  const auto result = runner.wait_any(Duration{90'000});
  REQUIRE(result);
  CHECK(result->outcome == Outcome::failed);
  CHECK(result->error.message.find("authentication: root is refused") != std::string::npos);
}

TEST_CASE("one directory holds one lab, and down leaves nothing of it", "[labserver]") {
  RunningLab lab{fabric::test::ring(2)};
  ServeOptions options;
  options.directory = lab.directory();
  const auto second = fabric::labserver::serve(fabric::test::ring(2), {}, options, lab.clock());
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::locked);
  lab.stop();
  for (const char* file : {"lab.json", "id_ed25519", "id_ed25519.pub", "known_hosts", "control"}) {
    CHECK_FALSE(std::filesystem::exists(lab.directory() + "/" + file));
  }
  CHECK(read_lab_info(lab.directory()).error().code == ErrorCode::not_found);
  CHECK(request(lab.directory(), Map{{"verb", "status"}}).error().code == ErrorCode::not_found);
}
