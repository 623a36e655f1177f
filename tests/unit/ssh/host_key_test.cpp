// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/host_key.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace fabric::ssh {
namespace {

constexpr auto kType = "ssh-ed25519";
constexpr auto kKey = "AAAAC3NzaC1lZDI1NTE5AAAAIAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
constexpr auto kPrint = "SHA256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

Destination destination(const std::string& pinned) {
  Destination to;
  to.name = "pve1";
  to.host = "192.0.2.11";
  to.known_as = "192.0.2.11";
  to.user = "root; reboot";
  to.pinned_host_key = pinned;
  return to;
}

std::string judged(
    const PresentedKey& presented, const std::string& known_hosts, const std::string& pinned = "") {
  KnownHosts known;
  known.add(known_hosts, "known_hosts");
  const Result<void> result =
      judge_host_key(presented, known.find("192.0.2.11", 22), destination(pinned));
  return result ? "accepted" : result.error().message;
}

const std::string kLine = std::string{"192.0.2.11 ssh-ed25519 "} + kKey + "\n";
const std::string kPinned = std::string{kType} + " " + kKey;

}  // namespace

TEST_CASE("a key without type, text or fingerprint is refused, known host or pinned", "[ssh]") {
  CHECK(judged({kType, kKey, kPrint}, kLine) == "accepted");
  CHECK(judged({kType, kKey, kPrint}, "", kPinned) == "accepted");
  for (const PresentedKey& broken :
       {PresentedKey{kType, "", kPrint},
        PresentedKey{"", kKey, kPrint},
        PresentedKey{kType, kKey, ""}}) {
    for (const std::string& pinned : {std::string{}, kPinned, std::string{kPrint}})
      CHECK(judged(broken, kLine, pinned).find("can't be read") != std::string::npos);
  }
  // The index itself, whoever asks it.
  KnownHosts known;
  known.add(kLine, "known_hosts");
  CHECK(known.find("192.0.2.11", 22).check(kType, "").verdict == KeyVerdict::unknown);
  CHECK(known.find("192.0.2.11", 22).check("", kKey).verdict == KeyVerdict::unknown);
}

TEST_CASE("a revoked key is refused although it is pinned or known", "[ssh]") {
  const std::string revoked = "@revoked * ssh-ed25519 " + std::string{kKey} + "\n";
  for (const std::string& pinned : {std::string{}, kPinned, std::string{kPrint}})
    CHECK(
        judged({kType, kKey, kPrint}, kLine + revoked, pinned)
            .find("is revoked by known_hosts:2") != std::string::npos);
}

TEST_CASE("a known_hosts file that can't be read accepts nobody, pinned or not", "[ssh]") {
  const KnownHosts known = KnownHosts::read({"/nowhere/known_hosts", "/dev/null", "/dev/zero"});
  for (const std::string& pinned : {std::string{}, kPinned}) {
    const Result<void> result =
        judge_host_key({kType, kKey, kPrint}, known.find("192.0.2.11", 22), destination(pinned));
    REQUIRE_FALSE(result);
    CHECK(
        result.error().message.find("/dev/zero: expected a file, found a device") !=
        std::string::npos);
  }
  CHECK(KnownHosts::read({"/nowhere/known_hosts", "/dev/null"}).find("a", 22).problem.empty());
}

TEST_CASE("the command that accepts a key quotes what the document names", "[ssh]") {
  Destination to = destination("");
  to.jumps.push_back(destination(""));
  const Result<void> result = judge_host_key({kType, kKey, kPrint}, KnownHosts{}.find("x", 22), to);
  REQUIRE_FALSE(result);
  CHECK(result.error().message.find(" root; reboot@") == std::string::npos);
  CHECK(result.error().message.find("'root; reboot@192.0.2.11'") != std::string::npos);
}

}  // namespace fabric::ssh
