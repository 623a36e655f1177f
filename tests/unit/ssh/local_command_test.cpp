// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/local_command.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"

#include "tests/support/catch.hpp"

namespace fabric::ssh {
namespace {

struct Here {
  SystemClock clock;
  StopSignal stop;
  std::map<std::string, std::string> environment;
  Execution run(remote::Argv argv, Duration timeout = Duration{60'000}) {
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
  const Execution execution =
      here.run({"sh", "-c", "echo begun; sleep 60 & wait"}, Duration{1'000});
  CHECK(here.clock.now() - begun < Duration{25'000});
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

// What a command leaves of itself: the number that it wrote to `file`, if a process of it still
// runs.
bool still_runs(const std::filesystem::path& file) {
  std::ifstream stream{file};
  const std::string text{std::istreambuf_iterator<char>{stream}, {}};
  const auto process = parse_unsigned(trim(text), 10);
  REQUIRE(process);
  std::ifstream stat{"/proc/" + std::to_string(*process) + "/stat"};
  const std::string state{std::istreambuf_iterator<char>{stat}, {}};
  const std::size_t name_end = state.rfind(')');
  // A zombie is somebody's to reap, and does nothing more.
  return name_end != std::string::npos && state.at(name_end + 2) != 'Z';
}

// A process that was killed is there until the kernel gets round to it, on a machine with much to
// do.
bool ends_soon(const std::filesystem::path& file) {
  for (int look = 0; look < 500; ++look) {
    if (!still_runs(file)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  return false;
}

struct Folder {
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("fabric-local-command-" + std::to_string(getpid()));
};

TEST_CASE("a deadline holds whatever a command does with its streams, group or session", "[ssh]") {
  const Folder folder;
  const std::string pid = (folder.path / "pid").string();
  const std::vector<std::string> programs{
      "echo $$ >" + pid + "; exec >/dev/null 2>&1; sleep 60",
      "echo $$ >" + pid + "; exec >&- 2>&-; sleep 60",
      "trap '' TERM; echo $$ >" + pid + "; while :; do sleep 1; done",
      "setsid sh -c 'echo $$ >" + pid + "; sleep 60' & wait",
      "setsid sh -c 'trap \"\" TERM; echo $$ >" + pid + "; while :; do sleep 1; done' & sleep 60",
      "echo $$ >" + pid + "; kill -STOP $$"};
  Here here;
  for (const std::string& program : programs) {
    CAPTURE(program);
    const TimePoint begun = here.clock.now();
    const Execution execution = here.run({"sh", "-c", program}, Duration{1'000});
    CHECK(here.clock.now() - begun < Duration{25'000});
    CHECK(execution.outcome == remote::Outcome::unknown);
    CHECK(execution.error.code == ErrorCode::timed_out);
    CHECK(ends_soon(pid));
  }
}

TEST_CASE("a daemon that holds the streams of its command is not waited for", "[ssh]") {
  const Folder folder;
  const std::string pid = (folder.path / "pid").string();
  Here here;
  const TimePoint begun = here.clock.now();
  const Execution execution = here.run(
      {"sh",
       "-c",
       "setsid sh -c 'echo $$ >" + pid + "; exec sleep 60' & while [ ! -s " + pid +
           " ]; do sleep 0.05; done; echo done; exit 4"},
      Duration{20'000});
  CHECK(here.clock.now() - begun < Duration{25'000});
  CHECK(execution.outcome == remote::Outcome::succeeded);
  CHECK(execution.output == remote::CommandOutput{4, "done\n", ""});
  // What ended well may have meant to leave it.
  CHECK(still_runs(pid));
  std::ifstream stream{pid};
  pid_t daemon = 0;
  stream >> daemon;
  kill(daemon, SIGKILL);
}

TEST_CASE("a stop ends a command that has closed its streams", "[ssh]") {
  Here here;
  std::thread stopper{[&here] {
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
    here.stop.raise();
  }};
  const TimePoint begun = here.clock.now();
  const Execution execution = here.run({"sh", "-c", "exec >/dev/null 2>&1; sleep 60"});
  stopper.join();
  CHECK(here.clock.now() - begun < Duration{25'000});
  CHECK(execution.outcome == remote::Outcome::unknown);
  CHECK(execution.error.code == ErrorCode::cancelled);
}

TEST_CASE("a command may put its things in order before it is killed", "[ssh]") {
  Here here;
  const Execution execution = here.run(
      {"sh", "-c", "trap 'echo in order; exit 0' TERM; echo begun; while :; do sleep 0.05; done"},
      Duration{1'000});
  CHECK(execution.outcome == remote::Outcome::unknown);
  CHECK(execution.output.standard_output == "begun\nin order\n");
}

TEST_CASE("output beyond the limit is dropped, and never ends the deadline", "[ssh]") {
  Here here;
  const TimePoint begun = here.clock.now();
  const Execution execution = here.run({"sh", "-c", "exec cat /dev/zero"}, Duration{700});
  CHECK(here.clock.now() - begun < Duration{25'000});
  CHECK(execution.error.code == ErrorCode::timed_out);
  CHECK(execution.output.standard_output.size() <= limits::kCommandOutputBytes);
  const Execution ended = here.run({"sh", "-c", "head -c 40000000 /dev/zero; echo end >&2"});
  CHECK(ended.outcome == remote::Outcome::succeeded);
  CHECK(ended.output.standard_output.size() == limits::kCommandOutputBytes);
  CHECK(ended.output.standard_error == "end\n");
}

extern "C" void take_note(int /*signal*/) {}

TEST_CASE("signals that interrupt the waiting change nothing", "[ssh]") {
  struct sigaction before {};
  struct sigaction action {};
  action.sa_handler = take_note;  // without SA_RESTART: poll and read end with EINTR
  sigemptyset(&action.sa_mask);
  sigaction(SIGCONT, &action, &before);
  std::atomic<bool> over{false};
  const pthread_t waiting = pthread_self();
  std::thread storm{[&] {
    while (!over) {
      pthread_kill(waiting, SIGCONT);
      std::this_thread::sleep_for(std::chrono::microseconds{200});
    }
  }};
  Here here;
  const Execution execution =
      here.run({"sh", "-c", "echo a; sleep 0.3; echo b; sleep 0.3; echo c >&2; exit 6"});
  const TimePoint begun = here.clock.now();
  const Execution late = here.run({"sleep", "60"}, Duration{300});
  CHECK(here.clock.now() - begun < Duration{25'000});
  over = true;
  storm.join();
  sigaction(SIGCONT, &before, nullptr);
  CHECK(execution.outcome == remote::Outcome::succeeded);
  CHECK(execution.output == remote::CommandOutput{6, "a\nb\n", "c\n"});
  CHECK(late.error.code == ErrorCode::timed_out);
}

// As the kernel writes the set of signals that this process ignores, SIGPIPE aside.
std::string ignored_signals() {
  std::uint64_t ignored = 0;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction found {};
    if (signal != SIGPIPE && sigaction(signal, nullptr, &found) == 0 && found.sa_handler == SIG_IGN)
      ignored |= std::uint64_t{1} << static_cast<unsigned>(signal - 1);
  }
  std::ostringstream text;
  text << std::hex << std::setw(16) << std::setfill('0') << ignored;
  return text.str();
}

TEST_CASE("a command gets its own streams and nothing else of ours", "[ssh]") {
  // A test that a shell began in the background ignores SIGINT and SIGQUIT, and so do its children.
  const std::string inherited = ignored_signals();
  const int secret = open("/dev/null", O_RDONLY);  // as a library would, without O_CLOEXEC
  REQUIRE(secret >= 0);
  struct sigaction before {};
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignored, &before);
  sigset_t all;
  sigset_t usual;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &usual);  // as in the threads of the transport
  Here here;
  // Only what the shell does by itself: it would open more to start others.
  const Execution open_files = here.run(
      {"sh",
       "-c",
       "n=0; while [ $n -lt 64 ]; do [ ! -e /proc/$$/fd/$n ] || echo $n; n=$((n+1)); done"});
  const Execution signals = here.run({"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"});
  pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  sigaction(SIGPIPE, &before, nullptr);
  close(secret);
  CHECK(open_files.output.standard_output == "0\n1\n2\n");
  CHECK(
      signals.output.standard_output == "SigBlk:\t0000000000000000\nSigIgn:\t" + inherited + "\n");
}

TEST_CASE("a command reads what it is given, however much", "[ssh]") {
  Here here;
  const std::string text(300'000, 'x');
  remote::step::RunHere given{remote::Command{{"wc", "-c"}, text, Duration{10'000}}};
  CHECK(trim(run_here(given, here.clock, here.stop).output.standard_output) == "300000");
}

TEST_CASE("whoever leaves takes the commands along that run", "[ssh]") {
  Here here;
  const Folder folder;
  const std::string begun_file = (folder.path / "begun").string();
  std::atomic<bool> ended = false;
  // The command may be so far before the thread that started it has noted its process.
  std::thread leaver{[&begun_file, &ended] {
    while (!ended) {
      if (std::filesystem::exists(begun_file)) kill_local_commands();
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }};
  const TimePoint begun = here.clock.now();
  const Execution execution =
      here.run({"sh", "-c", "trap '' TERM INT; : >" + begun_file + "; sleep 60; sleep 60"});
  ended = true;
  leaver.join();
  CHECK(here.clock.now() - begun < Duration{25'000});
  CHECK(execution.output.exit_status == 128 + 9);
}

}  // namespace
}  // namespace fabric::ssh
