// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/host_key.hpp"

#include "tests/support/catch.hpp"

namespace fabric::ssh {

namespace {

std::string suggested(const Destination& destination) {
  const PresentedKey presented{"ssh-ed25519", "AAAA", "SHA256:abc"};
  const Result<void> judged = judge_host_key(presented, HostKeys{}, destination);
  REQUIRE_FALSE(judged);
  const std::string& message = judged.error().message;
  constexpr std::string_view kBefore = "then accept it with: ";
  const std::size_t at = message.find(kBefore);
  REQUIRE(at != std::string::npos);
  return message.substr(at + kBefore.size());
}

Destination destination_of(const std::string& user, const std::string& host) {
  Destination destination;
  destination.user = user;
  destination.host = destination.known_as = host;
  destination.port = 22;
  destination.known_hosts_files = {"/home/anna/my known_hosts"};
  return destination;
}

}  // namespace

TEST_CASE(
    "a suggested command has nothing of the document that a shell takes for its own", "[ssh]") {
  Destination hop = destination_of("root;id", "10.0.0.9");
  Destination destination = destination_of("root$(touch /tmp/x);", "10.0.0.1; id");
  CHECK(
      suggested(destination) ==
      "ssh-keyscan -p 22 -- '10.0.0.1; id' >> '/home/anna/my known_hosts'");
  destination.jumps = {hop};
  CHECK(
      suggested(destination) ==
      "ssh -o StrictHostKeyChecking=ask -o 'UserKnownHostsFile=/home/anna/my known_hosts' -o "
      "'HostKeyAlias=10.0.0.1; id' -J 'root;id@10.0.0.9:22' -p 22 -- "
      "'root$(touch /tmp/x);@10.0.0.1; id' true");
}

TEST_CASE("a suggested command takes no word of the document for an option", "[ssh]") {
  Destination destination = destination_of("-oProxyCommand=id", "-oProxyCommand=id");
  CHECK(suggested(destination).starts_with("ssh-keyscan -p 22 -- -oProxyCommand=id "));
  destination.jumps = {destination_of("root", "hop")};
  CHECK(suggested(destination).ends_with(" -- -oProxyCommand=id@-oProxyCommand=id true"));
}

TEST_CASE("a name in a suggested command is no command of sed", "[ssh]") {
  Destination destination = destination_of("root", "10.0.0.1");
  destination.known_as = "x/e;s/a&b\\c";
  CHECK(
      suggested(destination) ==
      R"(ssh-keyscan -p 22 -- 10.0.0.1 | sed 's/^[^ ]*/x\/e;s\/a\&b\\c/' >> '/home/anna/my known_hosts')");
}

}  // namespace fabric::ssh
