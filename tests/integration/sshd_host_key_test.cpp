// SPDX-License-Identifier: Apache-2.0
// Host keys: unknown, changed, revoked, hashed and pinned ones.
#include <filesystem>
#include <string>

#include "tests/integration/single_runner.hpp"
#include "tests/integration/sshd_fixture.hpp"
#include "tests/support/catch.hpp"

using fabric::remote::Outcome;
using fabric::ssh::Options;
using fabric::ssh::Target;
using fabric::test::contains;
using fabric::test::node;
using fabric::test::read_text;
using fabric::test::refusal;
using fabric::test::shell;
using fabric::test::Single;
using fabric::test::Sshd;
using fabric::test::write_text;

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
      "ssh-keyscan -p " + std::to_string(sshd.port()) + " -- 127.0.0.1 >> " + sshd.file("empty"));
  CHECK_FALSE(std::filesystem::exists(sshd.file("empty")));

  // The command does what it says.
  shell(
      "ssh-keyscan -p " + std::to_string(sshd.port()) + " -- 127.0.0.1 >> " + sshd.file("empty") +
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
  contains(command, "ssh-keyscan -p " + port + " -- 127.0.0.1 >> ");

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
