// SPDX-License-Identifier: Apache-2.0
// The way to a host: refused, stalled at a stage, and through jump hosts.
#include <cstdint>
#include <map>
#include <string>

#include <unistd.h>

#include "engine/base/clock.hpp"
#include "engine/remote/observed_runner.hpp"
#include "engine/ssh/config/config.hpp"
#include "engine/ssh/runner.hpp"

#include "tests/integration/single_runner.hpp"
#include "tests/integration/sshd_fixture.hpp"
#include "tests/support/catch.hpp"

using fabric::Duration;
using fabric::NodeName;
using fabric::remote::Outcome;
using fabric::ssh::Options;
using fabric::ssh::Runner;
using fabric::ssh::Target;
using fabric::test::ClosedPort;
using fabric::test::contains;
using fabric::test::Listener;
using fabric::test::node;
using fabric::test::read_text;
using fabric::test::refusal;
using fabric::test::run_shell;
using fabric::test::Sshd;
using fabric::test::write_text;

TEST_CASE("a refused connection and a name that is none say so", "[integration]") {
  const Sshd sshd;
  Target target = sshd.target();
  const ClosedPort closed;
  target.port = closed.number();
  contains(
      refusal(target, sshd.options()),
      "pve1: connect: 127.0.0.1 port " + std::to_string(target.port) + ": connection refused");
  target.host = "no-such-host.invalid";
  Options options = sshd.options();
  options.connect_timeout = Duration{2'000};
  contains(refusal(target, options), "pve1: name: 'no-such-host.invalid': ");
}

struct Opened final : fabric::remote::SessionObserver {
  void session_opened(const NodeName&, std::string_view to, Duration) override { text = to; }
  void session_refused(const NodeName&, const fabric::Error&, Duration) override {}
  void session_replaced(const NodeName&, const fabric::Error&) override {}
  std::string text;
};

TEST_CASE("old algorithms are taken only where the document says so", "[integration]") {
  const Sshd old{"KexAlgorithms diffie-hellman-group14-sha1\n"};
  Target target = old.target();
  const std::string why = refusal(target, old.options());
  contains(why, "pve1: key exchange: ");
  contains(why, "`ssh.legacy_algorithms: true` at the node accepts outdated algorithms");

  target.legacy_algorithms = true;
  Opened opened;
  Options options = old.options();
  options.sessions = &opened;
  const auto up = fabric::test::Single{target, options}.sh("echo up");
  INFO(up.error.message);
  CHECK(up.output.standard_output == "up\n");
  contains(opened.text, " by the old key exchange diffie-hellman-group14-sha1");
  // Ciphers and hashes of that age alone.
  const Sshd older{
      "KexAlgorithms diffie-hellman-group14-sha1\nCiphers aes128-cbc\nMACs hmac-sha1\n"
      "PubkeyAcceptedAlgorithms ssh-ed25519\n"};
  target = older.target();
  target.legacy_algorithms = true;
  CHECK(
      fabric::test::Single{target, older.options()}.sh("echo up").output.standard_output == "up\n");

  // What a host of today offers is taken as before.
  const Sshd modern;
  Target known = modern.target();
  known.legacy_algorithms = true;
  options = modern.options();
  options.sessions = &opened;
  CHECK(fabric::test::Single{known, options}.sh("echo up").output.standard_output == "up\n");
  CHECK(opened.text.find("old key exchange") == std::string::npos);
}

TEST_CASE("a host that stalls is named with the stage it stalls at", "[integration]") {
  const Sshd sshd{
      "AuthorizedKeysCommand /bin/sleep 5\nAuthorizedKeysCommandUser " + fabric::ssh::local_user() +
      "\nAuthorizedKeysFile none\n"};
  // Short where it stalls, and long at every stage that has to be passed before.
  constexpr Duration kPassed{30'000};
  constexpr Duration kStalled{400};
  Options options = sshd.options();
  options.handshake_timeout = kStalled;
  options.authentication_timeout = kPassed;

  Target target = sshd.target();
  const Listener mute;
  target.port = mute.port();
  CHECK(refusal(target, options) == "pve1: no SSH greeting: no answer within 400 ms");

  // The greeting has to come within the same deadline as what stalls behind it.
  options.handshake_timeout = Duration{3'000};
  Listener greets{"SSH-2.0-stall\r\n"};
  target.port = greets.port();
  fabric::SystemClock clock;
  Runner runner{{{node("pve1"), target}}, options, clock};
  runner.start({1, node("pve1"), run_shell("true")});
  greets.greet();
  const auto result = runner.wait_any(Duration{90'000});
  REQUIRE(result);
  CHECK(result->error.message == "pve1: key exchange: no answer within 3.0 s");

  options.handshake_timeout = kPassed;
  options.authentication_timeout = kStalled;
  if (geteuid() == 0) {  // sshd runs the command only for a root it trusts
    CHECK(refusal(sshd.target(), options) == "pve1: authentication: no answer within 400 ms");
  }

  const Listener other{"HTTP/1.1 400 Bad Request\r\n\r\n"};
  target.port = other.port();
  contains(refusal(target, options), "pve1: no SSH greeting: ");
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
  const ClosedPort closed;
  one.port = closed.number();
  contains(
      refusal(one, gate.options()),
      "pve1: jump: jump host " + hop(inner) + " to 127.0.0.1 port " + std::to_string(one.port) +
          ": ");
  write_text(gate.known_hosts_file(), gate.known_hosts_line() + target_host.known_hosts_line());
  contains(
      refusal(targets.begin()->second, gate.options()),
      "pve1: jump host " + hop(inner) + ": host key: the key that [127.0.0.1]:");
}
