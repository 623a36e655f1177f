#include "engine/ssh/local_command.hpp"

#include "tests/support/catch.hpp"

namespace fabric::ssh {
namespace {

struct Here {
  SystemClock clock;
  StopSignal stop;
  std::map<std::string, std::string> environment;
  Execution run(remote::Argv argv, Duration timeout = Duration{10'000}) {
    remote::step::RunHere here{remote::Command{std::move(argv), {}, timeout}};
    here.environment = environment;
    return run_here(here, clock, stop);
  }
};

TEST_CASE("a command of this machine has its output and exit status", "[ssh]") {
  Here here;
  const Execution execution = here.run({"sh", "-c", "echo out; echo err >&2; exit 3"});
  CHECK(execution.outcome == remote::Outcome::succeeded);
  CHECK(execution.output == remote::CommandOutput{3, "out\n", "err\n"});
  CHECK(here.run({"sh", "-c", "kill -TERM $$"}).output.exit_status == 128 + 15);
  CHECK(here.run({"cat"}).output == remote::CommandOutput{0, "", ""});
  CHECK(here.run({"printf", "%s", "a 'b' $c"}).output.standard_output == "a 'b' $c");
}

TEST_CASE("a command of this machine finds what it is given in its environment", "[ssh]") {
  Here here;
  here.environment = {{"FABRIC_NODE", "pve1"}, {"HOME", "/nowhere"}};
  const auto said =
      here.run({"sh", "-c", "echo $FABRIC_NODE $HOME; env | grep -c ^HOME=; ls / >&2"});
  CHECK(said.output.standard_output == "pve1 /nowhere\n1\n");
  CHECK(said.output.standard_error.find("etc") != std::string::npos);
}

TEST_CASE("a command that this machine lacks did not run", "[ssh]") {
  Here here;
  const Execution execution = here.run({"no-such-command-of-fabric"});
  CHECK(execution.outcome == remote::Outcome::failed);
  CHECK(execution.error.code == ErrorCode::not_found);
  CHECK(
      execution.error.message ==
      "no-such-command-of-fabric: can't be run on this machine: No such file or directory");
}

TEST_CASE("a deadline ends a command and all that it started", "[ssh]") {
  Here here;
  const TimePoint begun = here.clock.now();
  const Execution execution = here.run({"sh", "-c", "echo begun; sleep 60 & wait"}, Duration{300});
  CHECK(here.clock.now() - begun < Duration{5'000});
  CHECK(execution.outcome == remote::Outcome::unknown);
  CHECK(execution.error.code == ErrorCode::timed_out);
  CHECK(execution.output.standard_output == "begun\n");
}

TEST_CASE("an interrupt abandons a command", "[ssh]") {
  Here here;
  here.stop.raise();
  const Execution execution = here.run({"sleep", "60"});
  CHECK(execution.outcome == remote::Outcome::unknown);
  CHECK(execution.error.code == ErrorCode::cancelled);
}

}  // namespace
}  // namespace fabric::ssh
