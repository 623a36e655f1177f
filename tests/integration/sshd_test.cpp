// SPDX-License-Identifier: Apache-2.0
// ssh::Runner against OpenSSH's own server: commands, their streams, and files.
#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "tests/integration/single_runner.hpp"
#include "tests/integration/sshd_fixture.hpp"
#include "tests/support/catch.hpp"

using fabric::remote::Command;
using fabric::remote::Outcome;
using fabric::remote::StepResult;
using fabric::ssh::Target;
using fabric::test::node;
using fabric::test::read_text;
using fabric::test::shell;
using fabric::test::Single;
using fabric::test::Sshd;
using fabric::test::write_text;
namespace step = fabric::remote::step;

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
