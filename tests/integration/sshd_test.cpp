// ssh::Runner against OpenSSH's own server.
#include <csignal>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

#include "engine/ssh/config.hpp"
#include "engine/ssh/runner.hpp"

#include "tests/integration/sshd_fixture.hpp"
#include "tests/support/catch.hpp"

using fabric::Duration;
using fabric::ErrorCode;
using fabric::NodeName;
using fabric::remote::Command;
using fabric::remote::Outcome;
using fabric::remote::Step;
using fabric::remote::StepResult;
using fabric::ssh::Options;
using fabric::ssh::Runner;
using fabric::ssh::Target;
using fabric::test::free_port;
using fabric::test::Listener;
using fabric::test::Process;
using fabric::test::read_text;
using fabric::test::shell;
using fabric::test::Sshd;
using fabric::test::write_text;
namespace step = fabric::remote::step;

namespace {

NodeName node(const std::string& name) {
  return *NodeName::parse(name);
}

// A minute: a loaded machine must not look like a stalled node.
Step run_shell(const std::string& script, Duration timeout = Duration{60'000}) {
  return step::Run{Command{{"sh", "-c", script}, "", timeout}, false};
}

// A runner with the one node pve1.
class Single {
 public:
  Single(Target target, Options options)
      : runner_{{{node("pve1"), std::move(target)}}, std::move(options), clock_} {}

  StepResult perform(Step step) {
    runner_.start({++ticket_, node("pve1"), std::move(step)});
    std::optional<StepResult> result = runner_.wait_any(Duration{90'000});
    REQUIRE(result);
    CHECK(result->ticket == ticket_);
    return *result;
  }
  StepResult sh(const std::string& script) { return perform(run_shell(script)); }
  Runner& runner() { return runner_; }

 private:
  fabric::SystemClock clock_;
  Runner runner_;
  fabric::remote::Ticket ticket_ = 0;
};

// The error of a node that can't be reached.
std::string refusal(const Target& target, const Options& options) {
  const StepResult result = Single{target, options}.sh("true");
  CHECK(result.outcome == Outcome::failed);
  CHECK(result.error.code == ErrorCode::unreachable);
  return result.error.message;
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  INFO(part);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("a key login runs commands, with both streams and the exit status", "[integration]") {
  const Sshd sshd;
  Single pve1{sshd.target(), sshd.options()};
  const StepResult result = pve1.sh("echo out; echo err >&2; exit 7");
  CHECK(result.outcome == Outcome::succeeded);
  CHECK(result.output.exit_status == 7);
  CHECK(result.output.standard_output == "out\n");
  CHECK(result.output.standard_error == "err\n");
  CHECK(pve1.sh("exit 0").output.exit_status == 0);
  CHECK(pve1.perform(step::Run{Command{{"no-such-command"}, ""}, false}).output.exit_status == 127);
  CHECK(pve1.sh("kill -TERM $$").output.exit_status == 128 + SIGTERM);
  CHECK(
      pve1.perform(step::Run{Command{{"printf", "%s|", "a b", "c'd", "$HOME"}, ""}, false})
          .output.standard_output == "a b|c'd|$HOME|");
  CHECK_FALSE(std::filesystem::exists(sshd.identity_file() + ".pub.pub"));

  const auto identity = pve1.runner().identity(node("pve1"));
  REQUIRE(identity);
  shell(
      "ssh-keygen -lf " + sshd.host_key_file() + ".pub | cut -d' ' -f2 | grep -qxF '" +
      identity->host_key_fingerprint + "'");
}

TEST_CASE("the session is kept between steps and made anew when asked for", "[integration]") {
  const Sshd sshd;
  Single pve1{sshd.target(), sshd.options()};
  const std::string first = pve1.sh("echo $PPID").output.standard_output;
  CHECK(pve1.sh("echo $PPID").output.standard_output == first);
  const StepResult fresh = pve1.perform(step::Run{Command{{"sh", "-c", "echo $PPID"}, ""}, true});
  CHECK(fresh.output.standard_output != first);
}

TEST_CASE("no .pub is written beside a private key", "[integration]") {
  const Sshd sshd;
  std::filesystem::remove(sshd.identity_file() + ".pub");
  Single pve1{sshd.target(), sshd.options()};
  CHECK(pve1.sh("true").outcome == Outcome::succeeded);
  CHECK_FALSE(std::filesystem::exists(sshd.identity_file() + ".pub"));
}

TEST_CASE("a megabyte comes back whole on both streams, and goes out whole", "[integration]") {
  const Sshd sshd;
  Single pve1{sshd.target(), sshd.options()};
  const StepResult out =
      pve1.sh("head -c 1000000 /dev/zero | tr '\\0' x; head -c 1000000 /dev/zero | tr '\\0' y >&2");
  CHECK(out.output.standard_output == std::string(1'000'000, 'x'));
  CHECK(out.output.standard_error == std::string(1'000'000, 'y'));

  std::string input;
  for (int i = 0; input.size() < 3'000'000; ++i)
    input += std::to_string(i) + "\n";
  const StepResult echoed = pve1.perform(step::Run{Command{{"cat"}, input}, false});
  CHECK(echoed.outcome == Outcome::succeeded);
  CHECK(echoed.output.standard_output == input);

  const StepResult ignored = pve1.perform(step::Run{Command{{"true"}, input}, false});
  CHECK(ignored.outcome == Outcome::succeeded);
  CHECK(ignored.output.exit_status == 0);
}

TEST_CASE("a file is written whole, with its mode, and removed", "[integration]") {
  const std::string applets = GENERATE(as<std::string>{}, "", "busybox");
  INFO("remote shell: " << (applets.empty() ? "the login shell" : applets));
  fabric::test::TemporaryFolder bin;
  std::string force;
  if (!applets.empty()) {
    if (!std::filesystem::exists("/bin/busybox")) {
      WARN("SKIPPED: busybox is not installed");
      return;
    }
    shell("/bin/busybox --install -s " + bin / "");
    force = "ForceCommand PATH=" + bin / "" + " /bin/busybox sh -c \"$SSH_ORIGINAL_COMMAND\"\n";
  }
  const Sshd sshd{force};
  Single pve1{sshd.target(), sshd.options()};
  const std::string path = sshd.file("new folder/it's.conf");
  std::string content(1'000'000, 'c');
  content[500'000] = '\0';
  step::WriteFile file{
      path, content, 0640, std::to_string(geteuid()) + ":" + std::to_string(getegid())};
  const StepResult written = pve1.perform(file);
  INFO(written.output.standard_error);
  CHECK(written.outcome == Outcome::succeeded);
  CHECK(written.output.exit_status == 0);
  CHECK(read_text(path) == content);
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0640U);

  file.content = "second\n";
  CHECK(pve1.perform(file).output.exit_status == 0);
  CHECK(read_text(path) == "second\n");
  // Replaced, not written into, and nothing left beside it.
  struct stat after {};
  REQUIRE(stat(path.c_str(), &after) == 0);
  CHECK(after.st_ino != status.st_ino);
  const auto folder = std::filesystem::directory_iterator{sshd.file("new folder")};
  CHECK(std::distance(begin(folder), end(folder)) == 1);

  CHECK(pve1.perform(step::RemoveFile{path}).output.exit_status == 0);
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(pve1.perform(step::RemoveFile{path}).output.exit_status == 0);
}

TEST_CASE("become: sudo puts sudo before every command, files too", "[integration]") {
  fabric::test::TemporaryFolder bin;
  write_text(
      bin / "sudo", "#!/bin/sh\n[ \"$1\" = -n ] || exit 99\nshift 2\nBECAME=root exec \"$@\"\n");
  shell("chmod +x " + bin / "sudo");
  const Sshd sshd{"ForceCommand PATH=" + bin / "" + ":$PATH sh -c \"$SSH_ORIGINAL_COMMAND\"\n"};
  Target target = sshd.target();
  target.sudo = true;
  Single pve1{target, sshd.options()};
  CHECK(pve1.sh("echo $BECAME").output.standard_output == "root\n");
  const std::string owner = std::to_string(geteuid()) + ":" + std::to_string(getegid());
  CHECK(
      pve1.perform(step::WriteFile{sshd.file("x"), "content", 0600, owner}).output.exit_status ==
      0);
  CHECK(read_text(sshd.file("x")) == "content");
}

TEST_CASE(
    "an unknown host key is refused with its fingerprint and the command that accepts it",
    "[integration]") {
  const Sshd sshd;
  Options options = sshd.options();
  options.known_hosts_files = {sshd.file("empty")};
  const std::string message = refusal(sshd.target(), options);
  contains(message, "pve1: host key: the key that [127.0.0.1]:");
  contains(message, "ssh-ed25519 SHA256:");
  contains(
      message,
      "ssh-keyscan -p " + std::to_string(sshd.port()) + " 127.0.0.1 >> " + sshd.file("empty"));
  CHECK_FALSE(std::filesystem::exists(sshd.file("empty")));

  // The command does what it says.
  shell(
      "ssh-keyscan -p " + std::to_string(sshd.port()) + " 127.0.0.1 >> " + sshd.file("empty") +
      " 2>/dev/null");
  CHECK(Single{sshd.target(), options}.sh("true").outcome == Outcome::succeeded);
}

TEST_CASE(
    "a changed host key is refused with the line and the commands that replace it",
    "[integration]") {
  const Sshd sshd;
  shell("ssh-keygen -q -t ed25519 -N '' -f " + sshd.file("other"));
  std::string line = sshd.known_hosts_line();
  line.replace(line.find(" ssh-"), std::string::npos, " " + read_text(sshd.file("other.pub")));
  write_text(sshd.known_hosts_file(), "# first line\n" + line);
  const std::string message = refusal(sshd.target(), sshd.options());
  contains(message, "differs from the one in " + sshd.known_hosts_file() + ":2");
  const std::string port = std::to_string(sshd.port());
  const std::string command = message.substr(message.find("ssh-keygen -R "));
  contains(command, "ssh-keyscan -p " + port + " 127.0.0.1 >> ");

  shell("{ " + command + "; } >/dev/null 2>&1");
  CHECK(Single{sshd.target(), sshd.options()}.sh("true").outcome == Outcome::succeeded);
}

TEST_CASE("a revoked host key is refused although another line knows it", "[integration]") {
  const Sshd sshd;
  write_text(
      sshd.known_hosts_file(),
      sshd.known_hosts_line() + "@revoked * " + read_text(sshd.host_key_file() + ".pub"));
  contains(
      refusal(sshd.target(), sshd.options()), "is revoked by " + sshd.known_hosts_file() + ":2");
}

TEST_CASE("hashed known hosts are found", "[integration]") {
  const Sshd sshd;
  shell("ssh-keygen -q -H -f " + sshd.known_hosts_file() + " >/dev/null 2>&1");
  CHECK(Single{sshd.target(), sshd.options()}.sh("true").outcome == Outcome::succeeded);
}

TEST_CASE("a pinned host key needs no known_hosts and tolerates no other key", "[integration]") {
  const Sshd sshd;
  Options options = sshd.options();
  options.known_hosts_files = {sshd.file("empty")};
  Target target = sshd.target();
  target.pinned_host_key = read_text(sshd.host_key_file() + ".pub");
  Single pve1{target, options};
  CHECK(pve1.sh("true").outcome == Outcome::succeeded);
  target.pinned_host_key = pve1.runner().identity(node("pve1"))->host_key_fingerprint;
  CHECK(Single{target, options}.sh("true").outcome == Outcome::succeeded);
  target.pinned_host_key = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  contains(refusal(target, sshd.options()), "is not the one that ssh.host_key pins");
}

TEST_CASE("an agent is a source of keys", "[integration]") {
  const Sshd sshd;
  const std::string socket = sshd.file("agent");
  const Process agent{{"/bin/sh", "-c", "exec ssh-agent -D -a " + socket + " >/dev/null"}};
  setenv("SSH_AUTH_SOCK", socket.c_str(), 1);
  Target target = sshd.target();
  target.use_agent = true;
  target.identity_files = {sshd.file("none")};
  shell("while [ ! -S " + socket + " ]; do sleep 0.01; done");
  contains(refusal(target, sshd.options()), "agent: it holds no keys");
  shell("ssh-add -q " + sshd.identity_file() + " 2>/dev/null");
  CHECK(Single{target, sshd.options()}.sh("true").outcome == Outcome::succeeded);
  target.use_agent = false;
  const std::string message = refusal(target, sshd.options());
  contains(message, "pve1: authentication: ");
  contains(message, "is refused; tried nothing; " + sshd.file("none") + " can't be read");
  unsetenv("SSH_AUTH_SOCK");
}

TEST_CASE("a dead agent is said and does not keep a good key file from working", "[integration]") {
  const Sshd sshd;
  const Listener mute;
  setenv("SSH_AUTH_SOCK", sshd.file("gone").c_str(), 1);
  Target target = sshd.target();
  target.use_agent = true;
  CHECK(Single{target, sshd.options()}.sh("true").outcome == Outcome::succeeded);
  target.identity_files = {sshd.file("none")};
  contains(refusal(target, sshd.options()), "agent: no such file or directory");
  unsetenv("SSH_AUTH_SOCK");
}

TEST_CASE(
    "a key with a passphrase is named, and nobody is asked on the terminal", "[integration]") {
  const Sshd sshd;
  shell("ssh-keygen -q -p -P '' -N secret -f " + sshd.identity_file() + " >/dev/null");
  const std::string message = refusal(sshd.target(), sshd.options());
  contains(message, sshd.identity_file() + " has a passphrase: add it to the agent (ssh-add ");
  contains(message, "it takes publickey");
}

TEST_CASE("a key that the host does not know is refused, naming what was tried", "[integration]") {
  const Sshd sshd;
  write_text(sshd.file("authorized_keys"), "");
  const std::string message = refusal(sshd.target(), sshd.options());
  contains(message, "is refused; tried " + sshd.identity_file() + "; it takes publickey");
}

TEST_CASE("a refused connection and a name that is none say so", "[integration]") {
  const Sshd sshd;
  Target target = sshd.target();
  target.port = free_port();
  contains(
      refusal(target, sshd.options()),
      "pve1: connect: 127.0.0.1 port " + std::to_string(target.port) + ": connection refused");
  target.host = "no-such-host.invalid";
  Options options = sshd.options();
  options.connect_timeout = Duration{2'000};
  contains(refusal(target, options), "pve1: name: 'no-such-host.invalid': ");
}

TEST_CASE("a host that stalls is named with the stage it stalls at", "[integration]") {
  const Sshd sshd{
      "AuthorizedKeysCommand /bin/sleep 5\nAuthorizedKeysCommandUser " + fabric::ssh::local_user() +
      "\nAuthorizedKeysFile none\n"};
  Options options = sshd.options();
  options.handshake_timeout = Duration{400};
  options.authentication_timeout = Duration{400};

  Target target = sshd.target();
  const Listener mute;
  target.port = mute.port();
  CHECK(refusal(target, options) == "pve1: banner: no answer within 400 ms");

  Listener greets{"SSH-2.0-stall\r\n"};
  target.port = greets.port();
  fabric::SystemClock clock;
  Runner runner{{{node("pve1"), target}}, options, clock};
  runner.start({1, node("pve1"), run_shell("true")});
  greets.greet();
  const auto result = runner.wait_any(Duration{5'000});
  REQUIRE(result);
  CHECK(result->error.message == "pve1: key exchange: no answer within 400 ms");

  if (geteuid() == 0) {  // sshd runs the command only for a root it trusts
    CHECK(refusal(sshd.target(), options) == "pve1: authentication: no answer within 400 ms");
  }

  const Listener other{"HTTP/1.1 400 Bad Request\r\n\r\n"};
  target.port = other.port();
  contains(refusal(target, options), "pve1: banner: ");
}

TEST_CASE(
    "a command over its deadline is unknown, and the next one has a new session", "[integration]") {
  const Sshd sshd;
  Single pve1{sshd.target(), sshd.options()};
  const StepResult late = pve1.perform(run_shell("echo begun; sleep 20", Duration{1'000}));
  CHECK(late.outcome == Outcome::unknown);
  CHECK(late.error.code == ErrorCode::timed_out);
  CHECK(late.error.message == "pve1: command: no end within 1.0 s; it may still be running");
  CHECK(late.output.standard_output == "begun\n");
  CHECK(pve1.sh("echo again").output.standard_output == "again\n");
}

TEST_CASE("a connection lost while a command runs leaves its outcome unknown", "[integration]") {
  const Sshd sshd;
  Single pve1{sshd.target(), sshd.options()};
  const StepResult lost = pve1.sh("echo begun; sleep 0.2; kill -9 $PPID; sleep 5");
  CHECK(lost.outcome == Outcome::unknown);
  CHECK(lost.error.code == ErrorCode::maybe_applied);
  contains(lost.error.message, "pve1: command: the connection was lost while it ran");
  CHECK(pve1.sh("echo again").output.standard_output == "again\n");
}

TEST_CASE(
    "a kept session that died in between is replaced before anything is sent", "[integration]") {
  const Sshd sshd;
  Options options = sshd.options();
  options.handshake_timeout = Duration{1'000};
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

TEST_CASE(
    "nodes behind jump hosts are reached through them, every host key checked", "[integration]") {
  const Sshd gate;
  const Sshd inner;
  const Sshd target_host;
  const std::string user = fabric::ssh::local_user();
  const auto hop = [&](const Sshd& sshd) {
    return user + "@127.0.0.1:" + std::to_string(sshd.port());
  };
  const std::string key = read_text(gate.identity_file() + ".pub");
  for (const Sshd* sshd : {&inner, &target_host}) {
    write_text(sshd->file("authorized_keys"), key);
  }
  write_text(
      gate.known_hosts_file(),
      gate.known_hosts_line() + inner.known_hosts_line() + target_host.known_hosts_line());

  std::map<NodeName, Target> targets;
  for (int i = 1; i <= 20; ++i) {
    Target target = target_host.target();
    target.identity_files = {gate.identity_file()};
    target.jumps = {hop(gate), hop(inner)};
    targets[node("pve" + std::to_string(i))] = target;
  }
  fabric::SystemClock clock;
  {
    Runner runner{targets, gate.options(), clock};
    for (int i = 1; i <= 20; ++i) {
      runner.start(
          {static_cast<std::uint64_t>(i),
           node("pve" + std::to_string(i)),
           run_shell("head -c 200000 /dev/zero | tr '\\0' j")});
    }
    for (int i = 1; i <= 20; ++i) {
      const auto result = runner.wait_any(Duration{90'000});
      REQUIRE(result);
      INFO(result->error.message);
      CHECK(result->outcome == Outcome::succeeded);
      CHECK(result->output.standard_output == std::string(200'000, 'j'));
    }
  }

  Target one = targets.begin()->second;
  one.port = free_port();
  contains(
      refusal(one, gate.options()),
      "pve1: jump: jump host " + hop(inner) + " to 127.0.0.1 port " + std::to_string(one.port) +
          ": ");
  write_text(gate.known_hosts_file(), gate.known_hosts_line() + target_host.known_hosts_line());
  contains(
      refusal(targets.begin()->second, gate.options()),
      "pve1: jump host " + hop(inner) + ": host key: the key that [127.0.0.1]:");
}

TEST_CASE("steps of one node keep their order and pauses hold up nobody else", "[integration]") {
  const Sshd sshd;
  fabric::SystemClock clock;
  Options options = sshd.options();
  options.parallelism = 1;
  Runner runner{{{node("a"), sshd.target()}, {node("b"), sshd.target()}}, options, clock};
  const fabric::TimePoint begun = clock.now();
  runner.start({1, node("a"), step::Pause{Duration{600}}});
  runner.start({2, node("a"), run_shell("echo after")});
  runner.start({3, node("b"), run_shell("echo other")});
  std::vector<std::uint64_t> order;
  CHECK_FALSE(runner.wait_any(Duration{0}));
  while (order.size() < 3) {
    const auto result = runner.wait_any(Duration{10'000});
    REQUIRE(result);
    CHECK(result->outcome == Outcome::succeeded);
    order.push_back(result->ticket);
  }
  CHECK(order == std::vector<std::uint64_t>{3, 1, 2});
  CHECK(clock.now() - begun >= Duration{600});
}

TEST_CASE("a runner ends at once, whatever its steps are waiting for", "[integration]") {
  const Sshd sshd;
  const Listener mute;
  Target stalled = sshd.target();
  stalled.port = mute.port();
  Target behind = sshd.target();
  behind.jumps = {"127.0.0.1:" + std::to_string(mute.port())};
  fabric::SystemClock clock;
  const fabric::TimePoint begun = clock.now();
  {
    Runner runner{
        {{node("long"), sshd.target()},
         {node("stalled"), stalled},
         {node("behind"), behind},
         {node("asleep"), sshd.target()}},
        sshd.options(),
        clock};
    runner.start({1, node("long"), run_shell("echo begun; sleep 30", Duration{60'000})});
    runner.start({2, node("stalled"), run_shell("true")});
    runner.start({3, node("behind"), run_shell("true")});
    runner.start({4, node("asleep"), step::Pause{Duration{60'000}}});
    CHECK_FALSE(runner.wait_any(Duration{500}));
  }
  CHECK(clock.now() - begun < Duration{3'000});
}
