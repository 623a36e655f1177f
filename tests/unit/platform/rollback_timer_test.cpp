// SPDX-License-Identifier: Apache-2.0
// The scripts of the dead-man timer under every shell of this machine, on a node that has no
// systemd: its folders are moved into a scratch folder by replacing their names.
#include "providers/linux/machine/rollback_timer.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/text.hpp"
#include "engine/remote/perform.hpp"
#include "providers/nvue/machine/nvue_platforms.hpp"

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

const LinuxRollbackTimer kTimer;

GuardState guard_state(const remote::CommandOutput& output) {
  remote::StepResult result;
  result.output = output;
  return kTimer.state(result);
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

void replace_file(const std::string& path, const std::string& from, const std::string& to) {
  std::string text = read_text(path);
  replace_all(text, from, to);
  write_text(path, text);
}

struct Node {
  Shell shell;
  Scratch scratch;
  WorkSteps undo;
  // Only root can give a file away, and these tests may be anybody's.
  std::string owner = std::to_string(getuid()) + ":" + std::to_string(getgid());
  bool has_setsid = true;

  explicit Node(Shell given) : shell{std::move(given)} {
    write_text(scratch.at("a 'file'"), "after\n");
    write_text(scratch.at("new"), "after\n");
    set_undo(scratch.at("a 'file'"), {"cp", scratch.at("a 'file'"), scratch.at("activated")});
  }

  void set_undo(const std::string& replaced, remote::Argv command) {
    undo = {};
    undo.write({replaced, "before 100% $HOME\n", 0640, owner});
    undo.remove(scratch.at("new"));
    undo.run(std::move(command));
  }

  remote::CommandOutput run(const remote::Step& step) {
    remote::Command command = std::get<remote::step::Run>(step).command;
    const auto move_in = [this](std::string& text) {
      replace_all(text, "/var/lib/fabric/guard", scratch.at("guard"));
      replace_all(text, "/run/systemd/system", scratch.at("no-systemd"));
      replace_all(text, "/run/fabric-guard", scratch.at("given-up"));
      replace_all(text, "/etc/cron.d", scratch.at("cron.d"));
      replace_all(text, "in /proc/[0-9]*; do", "in " + scratch.at("proc") + "/[0-9]*; do");
      if (!has_setsid) replace_all(text, "setsid sh -c", "no-such-tool sh -c");
      // Owners are those of root in the texts of the program.
      replace_all(text, "root:root", owner);
    };
    for (remote::Word& each : command.argv) {
      std::string word{each};
      move_in(word);
      each = word;
    }
    move_in(command.standard_input);
    return run_locally(shell, command, scratch);
  }

  GuardState say(const remote::Step& step) { return guard_state(run(step)); }

  // How long that takes is the machine's affair: what never comes is ended by ctest.
  bool becomes(const std::string& token, GuardState wanted) {
    while (say(kTimer.ask(token)) != wanted)
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    return true;
  }
  bool was_rolled_back() const {
    return read_text(scratch.at("a 'file'")) == "before 100% $HOME\n" &&
           read_text(scratch.at("activated")) == "before 100% $HOME\n" &&
           !std::filesystem::exists(scratch.at("new"));
  }
};

// A process that has ended stays, as Z, until somebody asks for it. Before it is Z it has given up
// its memory, and with that its environment, by which a rollback looks for it: it does nothing
// more, though its state is still R for a moment.
bool runs(const std::string& process) {
  const std::string memory = read_text("/proc/" + process + "/statm");
  return !memory.empty() && !memory.starts_with("0 ");
}

// What an action has started on the node and left running; in the order of `scripts`.
std::vector<std::string> start(
    Node& node, const std::string& token, const std::vector<std::string>& scripts) {
  std::vector<std::string> processes;
  for (const std::string& script : scripts) {
    const std::string file = node.scratch.at("process");
    const std::string line = "setsid sh -c \"$1\" >/dev/null 2>&1 </dev/null & echo $! >\"$0\"";
    const remote::step::Run run{{{"sh", "-c", line, file, script}, {}}, false};
    const remote::Command gated = remote::command_for(kTimer.while_armed(token, run));
    REQUIRE(node.run(remote::step::Run{gated, false}).exit_status == 0);
    processes.emplace_back(trim(read_text(file)));
    // By its environment it is found. Between one program and the next it has none.
    while (read_text("/proc/" + processes.back() + "/environ").empty())
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return processes;
}

GuardOrder order(const std::string& token, int seconds, bool across_reboot = false) {
  return {token, "action a0001 of a", Duration{seconds * 1000}, across_reboot};
}

}  // namespace

TEST_CASE("a rollback timer holds back commands and files, and says what it can't", "[platform]") {
  const std::string token = "0123456789abcdef";
  for (const RollbackTimer* timer :
       {static_cast<const RollbackTimer*>(&kTimer), cumulus_platform().rollback_timer()}) {
    CHECK_FALSE(timer->holds_back(remote::step::CopyFile{}));
    CHECK_FALSE(timer->holds_back(remote::step::Converse{}));
    // Nothing of these is sent to the node.
    for (const remote::Step& here :
         {remote::Step{remote::step::RunHere{{{"true"}, {}}}}, remote::Step{remote::step::Pause{}}})
      CHECK(timer->while_armed(token, here) == here);
    for (const remote::Step& step :
         {remote::Step{remote::step::Run{{{"true"}, {}}}},
          remote::Step{remote::step::WriteFile{"/etc/x", "x"}},
          remote::Step{remote::step::RemoveFile{"/etc/x"}}}) {
      REQUIRE(timer->holds_back(step));
      const remote::Command gated = remote::command_for(timer->while_armed(token, step));
      REQUIRE(gated.argv.size() > 1);
      CHECK(gated.argv[1] == "FABRIC_GATE=/var/lib/fabric/guard/" + token + "/armed");
    }
  }
}

TEST_CASE("every shell arms a timer and disarms it before it has changed anything", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    const remote::CommandOutput armed = node.run(kTimer.arm(order("0001", 120), node.undo));
    INFO(armed.standard_error);
    CHECK(armed.exit_status == 0);
    CHECK(node.say(kTimer.ask("0001")) == GuardState::armed);
    CHECK(node.run(kTimer.arm(order("0001", 120), node.undo)).exit_status == 0);

    const remote::CommandOutput other = node.run(kTimer.arm(order("0002", 120), node.undo));
    CHECK(other.exit_status == 75);
    CHECK(other.standard_error.find("action a0001 of a") != std::string::npos);

    CHECK(node.say(kTimer.disarm("0001")) == GuardState::disarmed);
    CHECK(node.say(kTimer.disarm("0001")) == GuardState::disarmed);
    CHECK_FALSE(std::filesystem::exists(node.scratch.at("guard/0001")));
    CHECK_FALSE(node.was_rolled_back());
    // What has slept all the time finds nothing to do.
    CHECK(node.say(kTimer.fire("0001")) == GuardState::disarmed);
  }
}

TEST_CASE("every shell rolls back when it is told to, and says so", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    REQUIRE(node.run(kTimer.arm(order("0001", 120), node.undo)).exit_status == 0);
    node.run(kTimer.fire("0001"));
    CHECK(node.becomes("0001", GuardState::rolled_back));
    CHECK(node.was_rolled_back());
    const auto mode = std::filesystem::status(node.scratch.at("a 'file'")).permissions();
    CHECK(static_cast<unsigned>(mode) == 0640U);
    CHECK(node.say(kTimer.disarm("0001")) == GuardState::rolled_back);
    CHECK(node.say(kTimer.clear("0001")) == GuardState::disarmed);
    CHECK_FALSE(std::filesystem::exists(node.scratch.at("guard/0001")));
  }
}

TEST_CASE("every shell rolls back by itself when the time is over", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    REQUIRE(node.run(kTimer.arm(order("0001", 1), node.undo)).exit_status == 0);
    CHECK(node.becomes("0001", GuardState::rolled_back));
    CHECK(node.was_rolled_back());
  }
}

TEST_CASE("what still runs of the action is ended before it is rolled back", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    REQUIRE(node.run(kTimer.arm(order("0001", 120), node.undo)).exit_status == 0);
    std::filesystem::create_directory(node.scratch.at("guard/0002"));
    write_text(node.scratch.at("guard/0002/armed"), "");
    const std::vector<std::string> own = start(node, "0001", {"exec sleep 60", "sleep 60; :"});
    const std::vector<std::string> others = start(node, "0002", {"exec sleep 60"});
    for (const std::string& process : own)
      REQUIRE(runs(process));
    node.run(kTimer.fire("0001"));
    CHECK(node.becomes("0001", GuardState::rolled_back));
    for (const std::string& process : own)
      CHECK_FALSE(runs(process));
    CHECK(runs(others.front()));
    kill(std::stoi(others.front()), SIGKILL);
    CHECK(node.was_rolled_back());
  }
}

TEST_CASE("what doesn't end when it is asked to is ended all the same", "[platform]") {
  Node node{shells().front()};
  REQUIRE(node.run(kTimer.arm(order("0001", 120), node.undo)).exit_status == 0);
  const std::vector<std::string> deaf =
      start(node, "0001", {"trap '' TERM; while :; do sleep 1; done"});
  REQUIRE(runs(deaf.front()));
  node.run(kTimer.fire("0001"));
  CHECK(node.becomes("0001", GuardState::rolled_back));
  CHECK_FALSE(runs(deaf.front()));
}

TEST_CASE("a command that fails makes a rollback that failed", "[platform]") {
  Node node{shells().front()};
  node.set_undo(node.scratch.at("a 'file'"), {"false"});
  REQUIRE(node.run(kTimer.arm(order("0001", 120), node.undo)).exit_status == 0);
  node.run(kTimer.fire("0001"));
  CHECK(node.becomes("0001", GuardState::rollback_failed));
}

TEST_CASE("across a boot nothing waits but a line of cron", "[platform]") {
  Node node{shells().front()};
  const remote::CommandOutput refused = node.run(kTimer.arm(order("0001", 5, true), node.undo));
  CHECK(refused.exit_status == 1);
  CHECK(refused.standard_error.find("neither systemd nor cron") != std::string::npos);
  CHECK(node.say(kTimer.disarm("0001")) == GuardState::disarmed);
  // A folder alone reads no line of it.
  std::filesystem::create_directory(node.scratch.at("cron.d"));
  CHECK(node.run(kTimer.arm(order("0002", 5, true), node.undo)).exit_status == 1);
  CHECK(node.say(kTimer.disarm("0002")) == GuardState::disarmed);
  CHECK(std::filesystem::is_empty(node.scratch.at("cron.d")));
  std::filesystem::create_directories(node.scratch.at("proc/77"));
  write_text(node.scratch.at("proc/77/comm"), "cron\n");
  CHECK(node.run(kTimer.arm(order("0003", 5, true), node.undo)).exit_status == 0);
  const std::string line = read_text(node.scratch.at("cron.d/fabric-guard-0003"));
  CHECK(line.starts_with("@reboot root sleep 5; sh '"));
  CHECK(node.say(kTimer.disarm("0003")) == GuardState::disarmed);
  CHECK_FALSE(std::filesystem::exists(node.scratch.at("cron.d/fabric-guard-0003")));
}

TEST_CASE("every shell arms nothing that was given up or has fired", "[platform]") {
  for (const Shell& shell : shells()) {
    INFO(shell.name);
    Node node{shell};
    REQUIRE(node.say(kTimer.disarm("0001")) == GuardState::disarmed);
    const remote::CommandOutput late = node.run(kTimer.arm(order("0001", 120), node.undo));
    CHECK(late.exit_status == 75);
    CHECK(late.standard_error.find("it came too late") != std::string::npos);
    CHECK(node.say(kTimer.ask("0001")) == GuardState::disarmed);
    CHECK_FALSE(std::filesystem::exists(node.scratch.at("guard/0001")));

    REQUIRE(node.run(kTimer.arm(order("0002", 120), node.undo)).exit_status == 0);
    node.run(kTimer.fire("0002"));
    REQUIRE(node.becomes("0002", GuardState::rolled_back));
    write_text(node.scratch.at("a 'file'"), "later\n");
    CHECK(node.run(kTimer.arm(order("0002", 1), node.undo)).exit_status == 75);
    CHECK(node.say(kTimer.ask("0002")) == GuardState::rolled_back);
    CHECK(read_text(node.scratch.at("a 'file'")) == "later\n");
  }
}

TEST_CASE("an order that comes twice leaves one process that waits, and its time", "[platform]") {
  Node node{shells().front()};
  REQUIRE(node.run(kTimer.arm(order("0001", 5), node.undo)).exit_status == 0);
  const std::string first{trim(read_text(node.scratch.at("guard/0001/sleeper")))};
  REQUIRE(node.run(kTimer.arm(order("0001", 120), node.undo)).exit_status == 0);
  const std::string second{trim(read_text(node.scratch.at("guard/0001/sleeper")))};
  CHECK(first != second);
  std::this_thread::sleep_for(std::chrono::milliseconds{5500});
  while (runs(first))
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  CHECK(runs(second));
  CHECK(node.say(kTimer.ask("0001")) == GuardState::armed);
  CHECK(node.say(kTimer.disarm("0001")) == GuardState::disarmed);
  while (runs(second))
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
}

TEST_CASE("that something waits to roll back is read back", "[platform]") {
  Node node{shells().front()};
  node.has_setsid = false;
  const remote::CommandOutput refused = node.run(kTimer.arm(order("0001", 120), node.undo));
  CHECK(refused.exit_status == 1);
  CHECK(refused.standard_error.find("nothing on this node waits") != std::string::npos);
  CHECK(node.say(kTimer.disarm("0001")) == GuardState::disarmed);
}

TEST_CASE(
    "a rollback writes beside a file by a name that no reader of drop-ins takes", "[platform]") {
  // While it copies: the copy is never whole, for its source is a pipe that nobody closes.
  Node node{shells().front()};
  std::filesystem::create_directory(node.scratch.at("interfaces.d"));
  node.set_undo(node.scratch.at("interfaces.d/port"), {"true"});
  REQUIRE(node.run(kTimer.arm(order("0001", 120), node.undo)).exit_status == 0);
  std::filesystem::remove(node.scratch.at("guard/0001/restore-0"));
  REQUIRE(mkfifo(node.scratch.at("guard/0001/restore-0").c_str(), 0600) == 0);
  replace_file(node.scratch.at("guard/0001/rollback"), "cp -p", "cp");
  const int pipe = open(node.scratch.at("guard/0001/restore-0").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(pipe >= 0);
  node.run(kTimer.fire("0001"));
  std::vector<std::string> names;
  while (names.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    for (const auto& entry : std::filesystem::directory_iterator{node.scratch.at("interfaces.d")})
      names.push_back(entry.path().filename());
  }
  REQUIRE(names.size() == 1);
  CHECK(names.front().starts_with('.'));
  CHECK(write(pipe, "x", 1) == 1);
  close(pipe);
  CHECK(node.becomes("0001", GuardState::rolled_back));
}
