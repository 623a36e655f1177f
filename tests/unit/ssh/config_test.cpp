// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/config/config.hpp"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/limits.hpp"

#include "tests/support/catch.hpp"

using fabric::ssh::Config;
using fabric::ssh::expand_tokens;
using fabric::ssh::HostConfig;
using fabric::ssh::Tokens;

namespace {

// A home directory of its own, removed at the end.
class Home {
 public:
  Home() {
    std::string name = (std::filesystem::temp_directory_path() / "fabric-config-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
    ssh_ = path_ / ".ssh";
    std::filesystem::create_directories(ssh_ / "conf.d");
  }
  ~Home() { std::filesystem::remove_all(path_); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream{path_ / ".ssh" / name} << text;
  }
  const std::filesystem::path& path() const { return ssh_; }
  fabric::Result<Config> read() const {
    return Config::read((path_ / ".ssh" / "config").string(), path_.string());
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path ssh_;
};

HostConfig configured(const std::string& text, const std::string& host) {
  const Home home;
  home.write("config", text);
  const auto config = home.read();
  REQUIRE(config);
  return config->for_host(host, "");
}

std::string refused(const std::string& text) {
  const Home home;
  home.write("config", text);
  const auto config = home.read();
  REQUIRE_FALSE(config);
  const std::string& message = config.error().message;
  return message.substr(message.rfind('/') + 1);
}

}  // namespace

TEST_CASE("the first value of a keyword wins and identity files add up", "[ssh]") {
  const HostConfig host = configured(
      "Host pve*\n"
      "  User admin\n"
      "  IdentityFile ~/.ssh/first\n"
      "Host *\n"
      "  User nobody\n"
      "  Port 2222\n"
      "  IdentityFile \"/keys/second key\"\n",
      "pve1");
  CHECK(host.user == "admin");
  CHECK(host.port == 2222);
  CHECK(host.identity_files == std::vector<std::string>{"~/.ssh/first", "/keys/second key"});
}

TEST_CASE(
    "keywords are taken in any case, with blanks or an equals sign, and comments are not",
    "[ssh]") {
  const HostConfig host =
      configured("hostname=192.0.2.11 # the first\nPORT = 22022\n  USER   root\r\n", "pve1");
  CHECK(host.host_name == "192.0.2.11");
  CHECK(host.port == 22022);
  CHECK(host.user == "root");
}

TEST_CASE("an excluding pattern keeps a block from a host", "[ssh]") {
  const std::string text = "Host *.lab !gw.lab\n  User labber\n";
  CHECK(configured(text, "n1.lab").user == "labber");
  CHECK_FALSE(configured(text, "gw.lab").user);
}

TEST_CASE("the user that the caller asks for wins over the config", "[ssh]") {
  const Home home;
  home.write("config", "User admin\n");
  CHECK(home.read()->for_host("pve1", "root").user == "root");
}

TEST_CASE("HostName may contain the name that was given", "[ssh]") {
  CHECK(configured("HostName %h.mgmt.example\n", "pve1").host_name == "pve1.mgmt.example");
  CHECK(configured("HostName 100%%.%h\n", "x").host_name == "100%.x");
}

TEST_CASE("Match host sees the real name, Match all everything", "[ssh]") {
  const std::string text =
      "Host pve1\n  HostName storage1.example\n"
      "Match host storage*.example\n  User storage\n"
      "Match host pve1\n  Port 1\n"
      "Match !originalhost pve1\n  Port 2\n"
      "Match all\n  Port 3\n";
  const HostConfig host = configured(text, "pve1");
  CHECK(host.user == "storage");
  CHECK(host.port == 3);
  CHECK(configured(text, "pve2").port == 2);
}

TEST_CASE("a Match that would run a program is skipped with a note", "[ssh]") {
  const HostConfig host =
      configured("Match host pve1 exec \"false\"\n  User wrong\nHost pve1\n  User right\n", "pve1");
  CHECK(host.user == "right");
  REQUIRE(host.notes.size() == 1);
  CHECK(host.notes[0].find("config:1: Match exec is not evaluated") != std::string::npos);
}

TEST_CASE("Include reads files in order, under the conditions of the block it stands in", "[ssh]") {
  const Home home;
  home.write("conf.d/10-a", "Host pve1\n  User fromA\n");
  home.write("conf.d/20-b", "User fromB\nHost other\n  Port 5\n");
  home.write("only-gw", "Host *\n  Port 7\n");
  home.write("config", "Include conf.d/*\nHost gw\n  Include only-gw\nHost *\n  Port 9\n");
  const auto config = home.read();
  REQUIRE(config);
  CHECK(config->for_host("pve1", "").user == "fromA");
  CHECK(config->for_host("pve2", "").user == "fromB");
  CHECK(config->for_host("pve1", "").port == 9);
  CHECK(config->for_host("gw", "").port == 7);
}

TEST_CASE("a file that includes itself is an error, not a hang", "[ssh]") {
  CHECK(refused("Include config\n") == "config:1: too many nested Include");
}

TEST_CASE("what ssh would not take is refused with its place", "[ssh]") {
  CHECK(refused("Port twenty\n") == "config:1: 'twenty' is no port number");
  CHECK(refused("\nUser\n") == "config:2: user has no value");
  CHECK(refused("User \"root\n") == "config:1: a quote is not closed");
}

TEST_CASE("settings that fabric does not follow are noted", "[ssh]") {
  const HostConfig host =
      configured("StrictHostKeyChecking no\nCertificateFile ~/x\nForwardAgent yes\n", "pve1");
  REQUIRE(host.notes.size() == 2);
  CHECK(host.notes[0].find("StrictHostKeyChecking no is not followed") != std::string::npos);
  CHECK(host.notes[1].find("config:2: certificatefile is not supported") != std::string::npos);
}

TEST_CASE("of ProxyJump and ProxyCommand the first wins", "[ssh]") {
  const HostConfig jump = configured("ProxyJump a,b\nProxyCommand nc %h %p\n", "pve1");
  CHECK(jump.proxy_jump == "a,b");
  CHECK_FALSE(jump.proxy_command);
  CHECK(configured("ProxyCommand nc %h %p\nProxyJump a\n", "pve1").proxy_command == "nc %h %p");
}

TEST_CASE("lists of known hosts files and single settings are read", "[ssh]") {
  const HostConfig host = configured(
      "UserKnownHostsFile ~/a /b\nGlobalKnownHostsFile /c\nHostKeyAlias ring1\nIdentitiesOnly yes\n"
      "IdentityAgent none\n",
      "pve1");
  CHECK(host.user_known_hosts_files == std::vector<std::string>{"~/a", "/b"});
  CHECK(host.global_known_hosts_files == std::vector<std::string>{"/c"});
  CHECK(host.host_key_alias == "ring1");
  CHECK(host.identities_only == true);
  CHECK(host.identity_agent == "none");
}

TEST_CASE("no config file configures nothing", "[ssh]") {
  const auto config = Config::read("/nonexistent/config", "/root");
  REQUIRE(config);
  CHECK_FALSE(config->for_host("pve1", "").host_name);
}

TEST_CASE("tokens stand for the connection's own values", "[ssh]") {
  const Tokens tokens{"/home/me", "10.0.0.1", "pve1", 2222, "root", "me"};
  CHECK(
      *expand_tokens("~/.ssh/%r@%h:%p-%n-%u%%", tokens) ==
      "/home/me/.ssh/root@10.0.0.1:2222-pve1-me%");
  CHECK(*expand_tokens("%d/key", tokens) == "/home/me/key");
  CHECK(expand_tokens("%Z", tokens).error().message == "the token %Z is not supported");
  setenv("FABRIC_TEST_KEYS", "/keys", 1);
  CHECK(*expand_tokens("${FABRIC_TEST_KEYS}/id", tokens) == "/keys/id");
  CHECK_FALSE(expand_tokens("${FABRIC_TEST_NOT_SET}/id", tokens));
}

TEST_CASE("an empty name or criterion is refused, and not looked into", "[ssh]") {
  CHECK(refused("Include \"\"\n") == "config:1: Include names no file");
  CHECK(refused("Match \"\"\n") == "config:1: Match has an empty criterion");
  CHECK(refused("Match !\n") == "config:1: Match has an empty criterion");
  CHECK(configured("Host \"\"\n User nobody\nHost *\n User root\n", "pve1").user == "root");
  for (const char* keyword :
       {"User", "ProxyJump", "IdentityFile", "HostName", "StrictHostKeyChecking"}) {
    const Home home;
    home.write("config", std::string{keyword} + " \"\"\n");
    REQUIRE(home.read());
    static_cast<void>(home.read()->for_host("pve1", ""));
  }
}

TEST_CASE("files that include each other come to an end", "[ssh]") {
  const Home home;
  home.write("config", "Include conf.d/*\nUser root\n");
  for (int i = 0; i < 20; ++i)
    home.write("conf.d/" + std::to_string(i), "Include conf.d/*\n");
  const auto config = home.read();
  REQUIRE_FALSE(config);
  CHECK(config.error().code == fabric::ErrorCode::invalid);
}

TEST_CASE("a config that is no file, or too long, is an error and never left out", "[ssh]") {
  const Home home;
  home.write("config", "Include conf.d/*\nUser root\n");
  REQUIRE(mkfifo((home.path() / "conf.d" / "pipe").c_str(), 0600) == 0);
  const auto config = home.read();
  REQUIRE_FALSE(config);
  CHECK(config.error().message.find("expected a file, found a pipe") != std::string::npos);
  home.write("config", std::string(fabric::limits::kSshConfigBytes + 1, '\n'));
  CHECK(home.read().error().code == fabric::ErrorCode::invalid);
  CHECK(Config::read("/dev/null", "/root").has_value());
  CHECK(Config::read("/nowhere/config", "/root").has_value());
}
