// SPDX-License-Identifier: Apache-2.0
#include "engine/log/activity_log.hpp"

#include <fstream>
#include <iterator>
#include <mutex>

#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/text.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_fleet.hpp"

namespace fabric::log {

namespace {

using fabric::test::node;
using Lines = std::vector<std::string>;

// Answers each step with what it is told to, 70 ms later.
class Scripted final : public remote::StepRunner {
 public:
  explicit Scripted(fabric::test::FakeClock& clock) : clock_{clock} {}
  remote::StepResult answer;

  void start(remote::StepRequest request) override { answer.ticket = request.ticket; }
  std::optional<remote::StepResult> wait_any(Duration /*patience*/) override {
    clock_.advance_to(clock_.now() + Duration{70});
    return answer;
  }
  std::optional<remote::PeerIdentity> identity(const NodeName& /*node*/) const override {
    return remote::PeerIdentity{"SHA256:abc"};
  }
  const Clock& clock() const override { return clock_; }

 private:
  fabric::test::FakeClock& clock_;
};

struct Bench {
  fabric::test::FakeClock clock;
  Lines lines;
  std::unique_ptr<ActivityLog> log =
      ActivityLog::open(
          "", [this](std::string_view line) { lines.emplace_back(line); }, clock)
          .value();

  // The line of one step, without its time.
  std::string line_of(remote::Step step, remote::StepResult answer) {
    auto scripted = std::make_unique<Scripted>(clock);
    scripted->answer = std::move(answer);
    remote::ObservedRunner runner{std::move(scripted), *log};
    const std::size_t before = lines.size();
    runner.start({7, node("pve1"), std::move(step)});
    CHECK(lines.size() == before);
    REQUIRE(runner.wait_any(Duration{1}));
    if (lines.size() == before) return {};
    REQUIRE(lines.size() == before + 1);
    constexpr std::size_t kTime = std::string_view{"2026-11-20T10:12:27.123Z "}.size();
    return lines.back().substr(kTime);
  }
};

remote::StepResult answered(int status, const std::string& out, const std::string& error) {
  remote::StepResult result;
  result.output = {status, out, error};
  return result;
}

plans::Plan plan_with(const remote::Argv& command) {
  plans::Plan plan;
  plans::Action action{.id = "a1", .node = node("pve1")};
  action.draft.steps.run_each({command});
  plan.actions.push_back(std::move(action));
  return plan;
}

struct stat status_of(const std::string& path) {
  struct stat found {};
  REQUIRE(stat(path.c_str(), &found) == 0);
  return found;
}

}  // namespace

TEST_CASE("a command is one line: phase, program, exit status, sizes, duration", "[log]") {
  Bench bench;
  bench.log->phase("discovering");
  const remote::Command command{{"sh", "-s", "nonce"}, "cat /etc/shadow\n", Duration{1000}};
  CHECK(
      bench.line_of(remote::step::Run{command}, answered(3, "root:secret\n", "no\n")) ==
      "pve1: discovering: sh: exit 3, 12 bytes of output, 3 of errors, 70 ms\n");
}

TEST_CASE("arguments are shown of commands that stand in the plan, and of no others", "[log]") {
  Bench bench;
  const remote::Argv argv{"mstconfig", "-y", "set", "LINK_TYPE_P1=2"};
  const plans::Plan plan = plan_with(argv);
  bench.log->run_started(plan, "run-1");
  bench.log->action_started(plan.actions.front());
  const remote::step::Run planned{remote::Command{argv, {}, Duration{1000}}};
  const std::string behind = "exit 0, 0 bytes of output, 0 of errors, 70 ms\n";
  CHECK(
      bench.line_of(planned, answered(0, "", "")) ==
      "pve1: a1: mstconfig -y set LINK_TYPE_P1=2: " + behind);
  bench.log->action_phase(plan.actions.front(), "reading back");
  const remote::step::Run other{remote::Command{{"mstconfig", "secret"}, {}, Duration{1000}}};
  CHECK(bench.line_of(other, answered(0, "", "")) == "pve1: a1 reading back: mstconfig: " + behind);
  bench.log->action_ended(plan.actions.front(), {});
  bench.log->phase("unlocking");
  CHECK(bench.line_of(other, answered(0, "", "")) == "pve1: unlocking: mstconfig: " + behind);
}

TEST_CASE("files are their path and size; a pause is no line", "[log]") {
  Bench bench;
  remote::step::WriteFile file;
  file.path = "/etc/x";
  file.content = "secret";
  const std::string line = bench.line_of(file, answered(0, "", ""));
  CHECK(line.starts_with("pve1: starting: write /etc/x (6 bytes): exit 0"));
  CHECK(bench.line_of(remote::step::RemoveFile{"/etc/y"}, answered(0, "", ""))
            .starts_with("pve1: starting: remove /etc/y: exit 0"));
  CHECK(bench.line_of(remote::step::Pause{}, answered(0, "", "")).empty());
}

TEST_CASE("what was not run says why, on one line and without control characters", "[log]") {
  Bench bench;
  remote::StepResult lost;
  lost.outcome = remote::Outcome::unknown;
  lost.error = {ErrorCode::maybe_applied, "connection lost\n\x1b[2J"};
  CHECK(
      bench.line_of(remote::step::RemoveFile{"/etc/y"}, lost) ==
      "pve1: starting: remove /etc/y: unknown whether it ran: connection lost\\n\\x1b[2J, 70 ms\n");
}

TEST_CASE("a line of the log holds no secret, whatever the reason is", "[log]") {
  Bench bench;
  remote::StepResult lost;
  lost.outcome = remote::Outcome::unknown;
  lost.error = {ErrorCode::maybe_applied, "it ended at psk=Canary9 of https://me:Canary9@h/x"};
  CHECK(
      bench.line_of(remote::step::RemoveFile{"/etc/y"}, lost).find("Canary9") == std::string::npos);
}

TEST_CASE("sessions and their replacement are lines", "[log]") {
  Bench bench;
  bench.log->session_opened(node("pve1"), "jump@gate:22 > root@pve1:22", Duration{40});
  bench.log->session_refused(
      node("pve1"), {ErrorCode::unreachable, "connection refused"}, Duration{2});
  bench.log->session_replaced(node("pve1"), {ErrorCode::unreachable, "the peer has left"});
  REQUIRE(bench.lines.size() == 3);
  CHECK(bench.lines[0].ends_with("pve1: session to jump@gate:22 > root@pve1:22 opened, 40 ms\n"));
  CHECK(bench.lines[1].ends_with("pve1: no session: connection refused, 2 ms\n"));
  CHECK(bench.lines[2].ends_with("pve1: session lost (the peer has left), trying a new one\n"));
}

TEST_CASE("the file is for its owner alone, also one that was there, and is appended to", "[log]") {
  std::string path = "/tmp/fabric-log-test-XXXXXX";
  const int file = mkstemp(path.data());
  REQUIRE(file >= 0);
  REQUIRE(fchmod(file, 0644) == 0);
  close(file);
  const fabric::test::FakeClock clock;
  for (int run = 0; run < 2; ++run) {
    auto log = ActivityLog::open(path, {}, clock);
    REQUIRE(log);
    CHECK((status_of(path).st_mode & 0777U) == 0600U);
    (*log)->problem("a line");
  }
  std::ifstream stream{path};
  const std::string text{std::istreambuf_iterator<char>{stream}, {}};
  CHECK(split_lines(std::string_view{text}).size() == 2);
  unlink(path.c_str());
}

TEST_CASE("a log that can't be written is refused by its name", "[log]") {
  const fabric::test::FakeClock clock;
  const auto log = ActivityLog::open("/nowhere/fabric.log", {}, clock);
  REQUIRE_FALSE(log);
  CHECK(log.error().code == ErrorCode::denied);
  CHECK(log.error().message == "--log /nowhere/fabric.log: No such file or directory");
}

}  // namespace fabric::log
