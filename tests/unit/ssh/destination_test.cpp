// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/config/destination.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "tests/support/catch.hpp"

using fabric::ssh::Config;
using fabric::ssh::Destination;
using fabric::ssh::DestinationResolver;
using fabric::ssh::Options;
using fabric::ssh::Target;

namespace {

fabric::Result<Destination> resolve(
    const std::string& config_text, const Target& target, const Options& options = {}) {
  std::string path =
      (std::filesystem::temp_directory_path() / "fabric-destination-XXXXXX").string();
  const int descriptor = mkstemp(path.data());
  REQUIRE(descriptor >= 0);
  close(descriptor);
  std::ofstream{path} << config_text;
  const auto config = Config::read(path, "/home/me");
  std::filesystem::remove(path);
  REQUIRE(config);
  return DestinationResolver{*config, options, {"/home/me", "me", "/run/agent"}}.resolve(
      "pve1", target);
}

Target target(const std::string& host) {
  Target result;
  result.host = host;
  return result;
}

}  // namespace

TEST_CASE("without config the usual user, port, keys and known hosts are used", "[ssh]") {
  const auto found = resolve("", target("192.0.2.11"));
  REQUIRE(found);
  CHECK(found->host == "192.0.2.11");
  CHECK(found->known_as == "192.0.2.11");
  CHECK(found->port == 22);
  CHECK(found->user == "me");
  CHECK(found->identity_files.front() == "/home/me/.ssh/id_ed25519");
  CHECK(found->agent_socket == "/run/agent");
  CHECK(
      found->known_hosts_files ==
      std::vector<std::string>{
          "/home/me/.ssh/known_hosts", "/home/me/.ssh/known_hosts2", "/etc/ssh/ssh_known_hosts"});
}

TEST_CASE("what the document names as a key is no place for variables of this machine", "[ssh]") {
  setenv("FABRIC_TEST_TOKEN", "s3cret", 1);
  Target asked = target("pve1");
  asked.identity_files = {"/nowhere/${FABRIC_TEST_TOKEN}/%u", "~/key-%h"};
  asked.jumps = {"gate"};
  const auto found = resolve("Host other\n IdentityFile ${FABRIC_TEST_TOKEN}\n", asked);
  REQUIRE(found);
  const std::vector<std::string> written{"/nowhere/${FABRIC_TEST_TOKEN}/%u", "/home/me/key-%h"};
  CHECK(found->identity_files == written);
  CHECK(found->jumps.front().identity_files == written);
  // In the operator's own configuration they mean what they mean to ssh.
  CHECK(
      resolve("IdentityFile ~/${FABRIC_TEST_TOKEN}\n", target("pve1"))->identity_files.front() ==
      "/home/me/s3cret");
}

TEST_CASE("the document wins over the config, the config over the defaults", "[ssh]") {
  const std::string config =
      "Host pve1\n HostName storage1\n Port 2222\n User admin\n IdentityFile ~/%r-%h\n "
      "HostKeyAlias ring1\n";
  Target asked = target("pve1");
  const auto found = resolve(config, asked);
  REQUIRE(found);
  CHECK(found->host == "storage1");
  CHECK(found->known_as == "ring1");
  CHECK(found->port == 2222);
  CHECK(found->user == "admin");
  CHECK(found->identity_files == std::vector<std::string>{"/home/me/admin-storage1"});

  asked.port = 22022;
  asked.user = "root";
  asked.identity_files = {"~/.ssh/fabric"};
  asked.use_agent = false;
  Options options;
  options.known_hosts_files = {".fabric/lab/known_hosts"};
  const auto own = resolve(config, asked, options);
  REQUIRE(own);
  CHECK(own->port == 22022);
  CHECK(own->user == "root");
  CHECK(own->identity_files == std::vector<std::string>{"/home/me/.ssh/fabric"});
  CHECK(own->agent_socket.empty());
  CHECK(own->known_hosts_files == std::vector<std::string>{".fabric/lab/known_hosts"});
}

TEST_CASE("jump hosts are resolved through the config and passed nearest first", "[ssh]") {
  const auto found = resolve(
      "Host pve*\n ProxyJump outer, root@inner:2200\n"
      "Host outer\n HostName outer.example\n User jumper\n ProxyJump gate\n"
      "Host inner\n ProxyJump never-used\n"
      "Host gate\n ProxyJump none\n",
      target("pve1"));
  REQUIRE(found);
  REQUIRE(found->jumps.size() == 3);
  CHECK(found->jumps[0].host == "gate");
  CHECK(found->jumps[1].host == "outer.example");
  CHECK(found->jumps[1].user == "jumper");
  CHECK(found->jumps[2].host == "inner");
  CHECK(found->jumps[2].user == "root");
  CHECK(found->jumps[2].port == 2200);
}

TEST_CASE("jumps of the document replace those of the config", "[ssh]") {
  Target asked = target("pve1");
  asked.jumps = {"[2001:db8::1]:2222"};
  const auto found = resolve("ProxyCommand nc %h %p\n", asked);
  REQUIRE_FALSE(found);  // the jump host itself would need the command
  const auto direct = resolve("Host pve1\n ProxyJump other\n", asked);
  REQUIRE(direct);
  REQUIRE(direct->jumps.size() == 1);
  CHECK(direct->jumps[0].host == "2001:db8::1");
  CHECK(direct->jumps[0].port == 2222);
}

TEST_CASE("ways that fabric can't go are said, not gone around", "[ssh]") {
  CHECK(
      resolve("ProxyCommand nc %h %p\n", target("pve1")).error().message ==
      "pve1: ssh config: ProxyCommand is not supported; use ProxyJump, or ssh.jump in the "
      "document");
  CHECK(
      resolve("ProxyJump a:x\n", target("pve1")).error().message ==
      "pve1: ssh config: jump 'a:x': 'x' is no port number");
  CHECK(
      resolve("ProxyJump self\n", target("pve1")).error().message ==
      "pve1: ssh config: more than 8 jump hosts: a loop?");
  CHECK(
      resolve("IdentityFile ~/%Z\n", target("pve1")).error().code ==
      fabric::ErrorCode::unreachable);
}
