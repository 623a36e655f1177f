#include "engine/platform/linux/session_path.hpp"

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/local_shell.hpp"

using namespace fabric;
using namespace fabric::platform;

namespace {

SessionPath path_of(const std::string& output) {
  NodeFacts facts{*NodeName::parse("a"), std::nullopt, {}, {}, {}};
  facts.probes["session"] = {"", 0, output, ""};
  return session_path_of(facts);
}

}  // namespace

TEST_CASE("the session's path is its device and all that lies below", "[platform]") {
  const SessionPath path =
      path_of("client 192.0.2.1\ndevice vmbr0\ndevice bond0\ndevice eno1\ndevice eno2\n");
  CHECK(path.client == "192.0.2.1");
  CHECK(path.device == "vmbr0");
  CHECK(path.devices == std::set<std::string>{"bond0", "eno1", "eno2", "vmbr0"});
  CHECK(path.routes.empty());
}

TEST_CASE("what the session's route is chosen from is of the client's family", "[platform]") {
  const auto text = [](const std::string& output) {
    std::string all;
    for (const Subnet& each : path_of(output).routes)
      all += each.str() + " ";
    return all;
  };
  const std::string routes = "route default\nroute 10.30.0.0/24\nroute 10.9.0.7\nroute blackhole\n";
  CHECK(text("client 192.0.2.1\n" + routes) == "0.0.0.0/0 10.30.0.0/24 10.9.0.7/32 ");
  CHECK(
      text("client fd00::1\nroute default\nroute fd00::/64\nroute fd00::7\n") ==
      "::/0 fd00::/64 fd00::7/128 ");
}

TEST_CASE("a session that nobody can trace needs no device", "[platform]") {
  CHECK(path_of("").devices.empty());
  CHECK(path_of("client 192.0.2.1\n").client == "192.0.2.1");
  CHECK(path_of("device\nnonsense of three words\n").devices.empty());
  CHECK(session_path_of(NodeFacts{*NodeName::parse("a"), std::nullopt, {}, {}, {}}).client.empty());
}

// `ip` as a function, for a BusyBox shell would take its own.
TEST_CASE("every shell follows the route back to the client down to the ports", "[platform]") {
  for (const auto& shell : remote::test::shells()) {
    INFO(shell.name);
    const remote::test::Scratch scratch;
    for (const char* link :
         {"vmbr0/lower_bond0.7", "bond0.7/lower_bond0", "bond0/lower_eno1", "bond0/lower_eno2"})
      std::filesystem::create_directories(scratch.at(link));
    std::string script = session_probe().script;
    const std::string_view folder = "/sys/class/net";
    for (std::size_t at = script.find(folder); at != std::string::npos; at = script.find(folder))
      script.replace(at, folder.size(), scratch.at(""));
    script =
        "ip() { case $* in\n"
        "'-o route get 192.0.2.1 from 192.0.2.9') echo '192.0.2.1 from 192.0.2.9 dev vmbr0 uid 0 "
        "\\    cache' ;;\n"
        "'-o -4 route show dev vmbr0') echo 'default via 192.0.2.254 proto static'\n"
        "echo '192.0.2.0/24 proto kernel scope link src 192.0.2.9' ;;\n"
        "*) return 1 ;; esac; }\n"
        "SSH_CONNECTION='192.0.2.1 50022 192.0.2.9 22'\n" +
        script;
    const auto output = run_locally(shell, {{"sh", "-s"}, script}, scratch);
    CHECK(output.exit_status == 0);
    CHECK(
        output.standard_output ==
        "client 192.0.2.1\nroute default\nroute 192.0.2.0/24\ndevice vmbr0\ndevice bond0.7\ndevice "
        "bond0\ndevice eno1\ndevice eno2\n");
  }
}
