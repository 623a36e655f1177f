// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/config/known_hosts.hpp"

#include <chrono>

#include "engine/ssh/config/pattern.hpp"

#include "tests/support/catch.hpp"

using fabric::ssh::KeyVerdict;
using fabric::ssh::known_hosts_name;
using fabric::ssh::KnownHosts;
using fabric::ssh::matches_list;
using fabric::ssh::matches_pattern;

namespace {

constexpr auto kType = "ssh-ed25519";
constexpr auto kKey = "AAAAC3NzaC1lZDI1NTE5AAAAIAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
constexpr auto kOther = "AAAAC3NzaC1lZDI1NTE5AAAAIBbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

KnownHosts parse(const std::string& text) {
  KnownHosts known;
  known.add(text, "known_hosts");
  return known;
}

std::string line(const std::string& names, const std::string& key = kKey) {
  return names + " ssh-ed25519 " + key + " comment\n";
}

KeyVerdict judge(const std::string& text, const std::string& host, std::uint32_t port = 22) {
  return parse(text).find(host, port).check(kType, kKey).verdict;
}

}  // namespace

TEST_CASE("a plain line vouches for each name it lists and for no other", "[ssh]") {
  const std::string text = "# comment\n\n" + line("pve1,192.0.2.11,PVE1.example");
  CHECK(judge(text, "pve1") == KeyVerdict::known);
  CHECK(judge(text, "192.0.2.11") == KeyVerdict::known);
  CHECK(judge(text, "pve1.EXAMPLE") == KeyVerdict::known);
  CHECK(judge(text, "pve2") == KeyVerdict::unknown);
  CHECK(judge(text, "pve") == KeyVerdict::unknown);
}

TEST_CASE("another key of the same type is a changed key, with the line that says so", "[ssh]") {
  const auto answer = parse("\n" + line("pve1", kOther)).find("pve1", 22).check(kType, kKey);
  CHECK(answer.verdict == KeyVerdict::changed);
  CHECK(answer.place == fabric::ssh::KnownKeyPlace{"known_hosts", 2});
}

TEST_CASE("a key of another type leaves the host's key unknown", "[ssh]") {
  const auto keys = parse("pve1 ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB\n").find("pve1", 22);
  CHECK(keys.check(kType, kKey).verdict == KeyVerdict::unknown);
  CHECK(keys.types() == std::vector<std::string>{"ssh-rsa"});
}

TEST_CASE("several keys of one type are all accepted", "[ssh]") {
  CHECK(judge(line("pve1", kOther) + line("pve1"), "pve1") == KeyVerdict::known);
}

TEST_CASE("another port has its own name, and the plain name can only vouch", "[ssh]") {
  CHECK(known_hosts_name("PVE1", 22) == "pve1");
  CHECK(known_hosts_name("pve1", 2222) == "[pve1]:2222");
  CHECK(judge(line("[pve1]:2222"), "pve1", 2222) == KeyVerdict::known);
  CHECK(judge(line("[pve1]:2222"), "pve1", 22) == KeyVerdict::unknown);
  CHECK(judge(line("pve1"), "pve1", 2222) == KeyVerdict::known);
  CHECK(judge(line("pve1", kOther), "pve1", 2222) == KeyVerdict::unknown);
  CHECK(judge("@revoked " + line("pve1"), "pve1", 2222) == KeyVerdict::revoked);
}

TEST_CASE("hashed names as ssh-keygen -H writes them are found", "[ssh]") {
  // ssh-keygen -H of `pve1` and of `[pve2]:2222`
  const std::string text =
      line("|1|PbbVbaBVfjlSOaJu81ltxB7laGY=|/9/yVcVnQvAOQbQJ5+hSdNnNkzU=") +
      line("|1|TjzJn4Tr+YCHbqeMco0QBPpXxEE=|/SsGB33Dk214VDEqvM0myydxrt8=", kOther) +
      line("|1|tooshort|tooshort");
  CHECK(judge(text, "pve1") == KeyVerdict::known);
  CHECK(judge(text, "PVE1") == KeyVerdict::known);
  CHECK(judge(text, "pve2") == KeyVerdict::unknown);
  CHECK(judge(text, "pve2", 2222) == KeyVerdict::changed);
}

TEST_CASE("wildcards match and a negated pattern excludes", "[ssh]") {
  const std::string text = line("*.storage.example,!gw.storage.example,10.0.0.?");
  CHECK(judge(text, "pve1.storage.example") == KeyVerdict::known);
  CHECK(judge(text, "gw.storage.example") == KeyVerdict::unknown);
  CHECK(judge(text, "10.0.0.7") == KeyVerdict::known);
  CHECK(judge(text, "10.0.0.17") == KeyVerdict::unknown);
}

TEST_CASE("a revoked key is refused even where another line vouches for it", "[ssh]") {
  const auto answer =
      parse(line("pve1") + "@revoked " + line("*")).find("pve1", 22).check(kType, kKey);
  CHECK(answer.verdict == KeyVerdict::revoked);
  CHECK(answer.place.line == 2);
}

TEST_CASE("a certificate authority vouches for nothing but is mentioned", "[ssh]") {
  const auto keys = parse("@cert-authority " + line("*.example")).find("pve1.example", 22);
  const auto answer = keys.check(kType, kKey);
  CHECK(answer.verdict == KeyVerdict::unknown);
  CHECK(answer.place.line == 1);
  CHECK(keys.types().empty());
}

TEST_CASE("lines that can't be read vouch for nobody and hide no other line", "[ssh]") {
  const std::string text =
      "pve1\npve1 ssh-ed25519\npve1 ssh-ed25519 not*base64*at*all\n@nonsense " +
      line("pve1", kOther) + line("pve1");
  CHECK(judge(text, "pve1") == KeyVerdict::known);
}

TEST_CASE("a key of a type nobody knows here does not disturb the others", "[ssh]") {
  const std::string text =
      "pve1 sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9w\n" + line("pve1");
  CHECK(judge(text, "pve1") == KeyVerdict::known);
}

TEST_CASE("a file that is not there holds nothing", "[ssh]") {
  const KnownHosts known = KnownHosts::read({"/nonexistent/known_hosts"});
  CHECK(known.find("pve1", 22).keys.empty());
}

TEST_CASE("patterns backtrack over stars", "[ssh]") {
  CHECK(matches_pattern("abcabd", "*ab?"));
  CHECK(matches_pattern("", "*"));
  CHECK_FALSE(matches_pattern("", "?"));
  CHECK_FALSE(matches_pattern("abc", "ab"));
  CHECK(matches_pattern("a", "**a**"));
  const std::string endless = std::string(2000, 'a');
  CHECK_FALSE(matches_pattern(endless, "*a*a*a*a*a*a*a*b"));
  const std::vector<std::string> only_excluding{"!pve1"};
  CHECK_FALSE(matches_list("pve2", only_excluding));
}
