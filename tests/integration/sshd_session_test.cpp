// SPDX-License-Identifier: Apache-2.0
// ssh::Runner's sessions: kept between steps, lost under one, and made anew.
#include <string>

#include "tests/integration/single_runner.hpp"
#include "tests/integration/sshd_fixture.hpp"
#include "tests/support/catch.hpp"

using fabric::Duration;
using fabric::ErrorCode;
using fabric::remote::Command;
using fabric::remote::Outcome;
using fabric::remote::StepResult;
using fabric::ssh::Options;
using fabric::test::contains;
using fabric::test::run_shell;
using fabric::test::shell;
using fabric::test::Single;
using fabric::test::Sshd;
namespace step = fabric::remote::step;

TEST_CASE("the session is kept between steps and made anew when asked for", "[integration]") {
  const Sshd sshd;
  Single pve1{sshd.target(), sshd.options()};
  const std::string first = pve1.sh("echo $PPID").output.standard_output;
  CHECK(pve1.sh("echo $PPID").output.standard_output == first);
  const StepResult fresh = pve1.perform(step::Run{Command{{"sh", "-c", "echo $PPID"}, ""}, true});
  CHECK(fresh.output.standard_output != first);
}

TEST_CASE(
    "a command over its deadline is unknown, and the next one has a new session", "[integration]") {
  const Sshd sshd;
  Single pve1{sshd.target(), sshd.options()};
  const StepResult late = pve1.perform(run_shell("echo begun; sleep 20", Duration{1'000}));
  CHECK(late.outcome == Outcome::unknown);
  CHECK(late.error.code == ErrorCode::timed_out);
  CHECK(
      late.error.message ==
      "pve1: command: the command did not end within 1.0 s and may still be running");
  CHECK(late.output.standard_output == "begun\n");
  CHECK(pve1.sh("echo again").output.standard_output == "again\n");
}

TEST_CASE("a connection lost while a command runs leaves its outcome unknown", "[integration]") {
  const Sshd sshd;
  Single pve1{sshd.target(), sshd.options()};
  const StepResult lost = pve1.sh("echo begun; sleep 0.2; kill -9 $PPID; sleep 5");
  CHECK(lost.outcome == Outcome::unknown);
  CHECK(lost.error.code == ErrorCode::maybe_applied);
  contains(lost.error.message, "pve1: command: the connection was lost while the command ran");
  CHECK(pve1.sh("echo again").output.standard_output == "again\n");
}

TEST_CASE(
    "a kept session that died in between is replaced before anything is sent", "[integration]") {
  const Sshd sshd;
  Options options = sshd.options();
  options.handshake_timeout = Duration{10'000};
  Single pve1{sshd.target(), options};
  std::string pid = pve1.sh("echo $PPID").output.standard_output;
  shell("kill -9 " + pid);
  CHECK(pve1.sh("echo again").output.standard_output == "again\n");

  // One that is there and does not answer, as a host that hangs.
  pid = pve1.sh("echo $PPID").output.standard_output;
  shell("kill -STOP " + pid);
  CHECK(pve1.sh("echo again").output.standard_output == "again\n");
  shell("kill -KILL " + pid);
}
