// SPDX-License-Identifier: Apache-2.0
// Login by key files and by an agent, and what is said where neither is taken.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/integration/single_runner.hpp"
#include "tests/integration/sshd_fixture.hpp"
#include "tests/support/catch.hpp"

using fabric::remote::Outcome;
using fabric::ssh::Target;
using fabric::test::contains;
using fabric::test::Listener;
using fabric::test::Process;
using fabric::test::refusal;
using fabric::test::shell;
using fabric::test::Single;
using fabric::test::Sshd;
using fabric::test::write_text;

TEST_CASE("no .pub is written beside a private key", "[integration]") {
  const Sshd sshd;
  std::filesystem::remove(sshd.identity_file() + ".pub");
  Single pve1{sshd.target(), sshd.options()};
  CHECK(pve1.sh("true").outcome == Outcome::succeeded);
  CHECK_FALSE(std::filesystem::exists(sshd.identity_file() + ".pub"));
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

TEST_CASE(
    "no password is even asked for where the document alone names the host's key",
    "[integration]") {
  // It offers the method, which is when a password would be fetched; no password is ever right.
  const Sshd sshd{"PasswordAuthentication yes\n"};
  write_text(sshd.file("authorized_keys"), "");
  fabric::ssh::Options knowing = sshd.options();
  fabric::ssh::Options unknowing = sshd.options();
  unknowing.known_hosts_files = {sshd.file("empty")};
  const std::string line = sshd.known_hosts_line();
  for (const std::string& pin : {std::string{}, line.substr(line.find(' ') + 1)}) {
    for (const bool of_operator : {false, true}) {
      for (const bool known : {false, true}) {
        CAPTURE(pin, of_operator, known);
        bool asked = false;
        Target target = sshd.target();
        target.pinned_host_key = pin;
        target.pin_is_operators = of_operator;
        target.password = [&asked](fabric::ssh::StopSignal& /*stop*/) {
          asked = true;
          return fabric::Result<fabric::Secret>{fabric::Secret{"c4nary"}};
        };
        const std::string message = refusal(target, known ? knowing : unknowing);
        CHECK(asked == (known || (of_operator && !pin.empty())));
        if (!pin.empty() && !of_operator && !known)
          contains(message, "only the document names the host key SHA256:");
      }
    }
  }
}
