// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "providers/linux/machine/linux_platform.hpp"

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

TEST_CASE("a session that nobody can trace says why", "[platform]") {
  CHECK(path_of("client 192.0.2.1\ndevice eno1\n").unknown.empty());
  CHECK_FALSE(path_of("").unknown.empty());
  CHECK(path_of("client 192.0.2.1\n").client == "192.0.2.1");
  CHECK_FALSE(path_of("client 192.0.2.1\n").unknown.empty());
  CHECK_FALSE(path_of("device eno1\n").unknown.empty());
  CHECK_FALSE(path_of("client 192.0.2.1\ndevice eno1\nunknown tunnel eno1\n").unknown.empty());
  CHECK_FALSE(path_of("device\nnonsense of three words\n").unknown.empty());
  CHECK_FALSE(SessionPath{}.unknown.empty());
  const NodeFacts nothing{*NodeName::parse("a"), std::nullopt, {}, {}, {}};
  CHECK(session_path_of(nothing).unknown == "it was not read");
}

namespace {

// A node whose kernel has these links ("vmbr0/lower_eno1", "eno1/device") and whose tools answer as
// `tools` says, functions of a shell, for a BusyBox shell would take its own.
std::string seen_on(
    const remote::test::Shell& shell,
    const std::vector<std::string>& links,
    const std::string& connection,
    const std::string& tools,
    const std::string& ovs = {},
    remote::Argv words = {"sh", "-s"}) {
  const remote::test::Scratch scratch;
  for (const std::string& link : links)
    std::filesystem::create_directories(scratch.at(link));
  std::string script = session_probe().script;
  const std::string_view folder = "/sys/class/net";
  for (std::size_t at = script.find(folder); at != std::string::npos; at = script.find(folder))
    script.replace(at, folder.size(), scratch.at(""));
  // What is no name of a function is a program.
  const std::string program = scratch.at("bin/ovs-vsctl");
  if (!ovs.empty()) {
    std::filesystem::create_directories(scratch.at("bin"));
    std::ofstream{program} << "#!/bin/sh\n" << ovs;
    std::filesystem::permissions(program, std::filesystem::perms::all);
  }
  script = tools + "PATH=" + scratch.at("bin") + ":$PATH\nSSH_CONNECTION='" + connection + "'\n" +
           script;
  const auto output = run_locally(shell, {std::move(words), script}, scratch);
  CHECK(output.exit_status == 0);
  return output.standard_output;
}

// `ip` by what it is asked: lines of a case.
std::string ip_that(const std::string& answers) {
  return "ip() { case $* in\n" + answers + "*) return 1 ;; esac; }\n";
}

constexpr const char* kSession = "192.0.2.1 50022 192.0.2.9 22";

std::string goes_by(const std::string& device) {
  return "'-o route get 192.0.2.1 from 192.0.2.9') echo '192.0.2.1 dev " + device + " uid 0' ;;\n";
}

}  // namespace

TEST_CASE("every shell finds the session that sudo hides, at the processes above", "[platform]") {
  for (const auto& shell : remote::test::shells()) {
    INFO(shell.name);
    CHECK(
        seen_on(
            shell,
            {"eno1/device"},
            "",
            ip_that(goes_by("eno1")),
            {},
            {"env",
             std::string{"SSH_CONNECTION="} + kSession,
             "sh",
             "-c",
             "SSH_CONNECTION= sh -s; exit $?"}) == "client 192.0.2.1\ndevice eno1\n");
  }
}

TEST_CASE("every shell follows the route back to the client down to the ports", "[platform]") {
  for (const auto& shell : remote::test::shells()) {
    INFO(shell.name);
    CHECK(
        seen_on(
            shell,
            {"vmbr0/lower_bond0.7",
             "bond0.7/lower_bond0",
             "bond0/lower_eno1",
             "bond0/lower_eno2",
             "eno1/device",
             "eno2/device"},
            kSession,
            ip_that("'-o route get 192.0.2.1 from 192.0.2.9') echo '192.0.2.1 from 192.0.2.9 dev "
                    "vmbr0 uid 0 \\    cache' ;;\n"
                    "'-o -4 route show dev vmbr0') echo 'default via 192.0.2.254 proto static'\n"
                    "echo '192.0.2.0/24 proto kernel scope link src 192.0.2.9' ;;\n")) ==
        "client 192.0.2.1\nroute default\nroute 192.0.2.0/24\ndevice vmbr0\ndevice bond0.7\n"
        "device bond0\ndevice eno1\ndevice eno2\n");
  }
}

namespace {

struct Way {
  std::string what;
  std::vector<std::string> links;
  std::string tools;
  std::string expected;  // after the line of the client
  std::string connection = kSession;
  std::string ovs{};  // what ovs-vsctl does
};

std::string is(const std::string& device, const std::string& text) {
  return "'-d -o link show dev " + device + "') echo '4: " + text + " ' ;;\n";
}

const std::vector<Way>& ways() {
  static const std::string ovs = "br0: <UP> mtu 1500 \\ link/ether 0 \\ openvswitch addrgenmode";
  static const std::vector<Way> all = {
      {"an interface that nothing lies beneath",
       {"eth0/mtu"},
       ip_that(goes_by("eth0")),
       "device eth0\nunknown virtual eth0\n"},
      {"one end of a pair, of which the other is elsewhere",
       {"eth0/mtu"},
       ip_that(goes_by("eth0") + is("eth0", "eth0@if9: <UP> mtu 1500 \\ veth numtxqueues 8")),
       "device eth0\nunknown virtual eth0\n"},
      {"a bridge beside whose port guests hang",
       {"vmbr0/lower_eno1", "vmbr0/lower_tap9", "eno1/device", "tap9/mtu"},
       ip_that(goes_by("vmbr0")),
       "device vmbr0\ndevice eno1\ndevice tap9\n"},
      {"a child of InfiniBand",
       {"ib0.8001/device", "ib0/device"},
       ip_that(goes_by("ib0.8001") + is("ib0.8001", "ib0.8001@ib0: <UP> mtu 2044 \\ ipoib pkey")),
       "device ib0.8001\ndevice ib0\n"},
      {"a virtual function",
       {"ens1v0/device/physfn/net/ens1", "ens1/device"},
       ip_that(goes_by("ens1v0")),
       "device ens1v0\ndevice ens1\n"},
      {"a tunnel whose end has a route",
       {"gre1/mtu", "eno1/device"},
       ip_that(
           goes_by("gre1") +
           is("gre1", "gre1@NONE: <UP> \\ gre remote 203.0.113.9 local 203.0.113.1 ttl inherit") +
           "'-o route get 203.0.113.9') echo '203.0.113.9 via 192.0.2.254 dev eno1 src 192.0.2.9' "
           ";;\n"),
       "device gre1\ndevice eno1\n"},
      {"a tunnel of many ends",
       {"gre1/mtu", "eno1/device"},
       ip_that(goes_by("gre1") + is("gre1", "gre1@NONE: <UP> \\ gre remote any local 203.0.113.1")),
       "device gre1\nunknown tunnel gre1\nunknown virtual gre1\n"},
      {"a bridge with a tunnel that nobody can follow",
       {"vmbr0/lower_eno1", "vmbr0/lower_vx9", "eno1/device", "vx9/mtu"},
       ip_that(goes_by("vmbr0") + is("vx9", "vx9: <UP> \\ vxlan id 9 dstport 4789 nolearning")),
       "device vmbr0\ndevice eno1\ndevice vx9\nunknown tunnel vx9\n"},
      {"wireguard",
       {"wg0/mtu", "eno1/device"},
       ip_that(
           goes_by("wg0") + is("wg0", "wg0: <UP> mtu 1420 \\ link/none \\ wireguard addrgenmode") +
           "'-o route get 203.0.113.9') echo '203.0.113.9 dev eno1' ;;\n") +
           "wg() { printf 'key=\\t203.0.113.9:51820\\nother=\\t(none)\\n'; }\n",
       "device wg0\ndevice eno1\n"},
      {"wireguard that nobody has called",
       {"wg0/mtu"},
       ip_that(
           goes_by("wg0") + is("wg0", "wg0: <UP> mtu 1420 \\ link/none \\ wireguard addrgenmode")) +
           "wg() { printf 'key=\\t(none)\\n'; }\n",
       "device wg0\nunknown tunnel wg0\nunknown virtual wg0\n"},
      {"Open vSwitch",
       {"br0/mtu", "eno1/device"},
       ip_that(goes_by("br0") + is("br0", ovs)),
       "device br0\ndevice eno1\n",
       kSession,
       "case $2 in list-br) echo br0 ;; list-ifaces) echo eno1; echo patch-tun ;; get) echo patch "
       ";; esac;\n"},
      {"Open vSwitch with a tunnel of its own",
       {"br0/mtu", "eno1/device"},
       ip_that(goes_by("br0") + is("br0", ovs)),
       "device br0\nunknown openvswitch br0\ndevice eno1\n",
       kSession,
       "case $2 in list-br) echo br0 ;; list-ifaces) echo eno1; echo vx0 ;; get) echo vxlan ;; "
       "esac;\n"},
      {"Open vSwitch without its tool",
       {"br0/mtu"},
       ip_that(goes_by("br0") + is("br0", ovs)),
       "device br0\nunknown openvswitch br0\nunknown virtual br0\n"},
      {"a VRF, whose routes are not those of the main table",
       {"eno2/device", "mgmt/lower_eno2", "eno1/device"},
       ip_that(
           "'-o addr show to 192.0.2.9') echo '3: eno2    inet 192.0.2.9/24 scope global eno2' "
           ";;\n" +
           is("eno2", "eno2: <UP> mtu 1500 master mgmt state UP") +
           is("mgmt", "mgmt: <UP> \\ vrf table 10 addrgenmode") + goes_by("eno1") +
           "'-o route get 192.0.2.1 from 192.0.2.9 vrf mgmt') echo '192.0.2.1 dev eno2' ;;\n"),
       "device eno2\n"},
      {"an address that is not on the interface with the route",
       {"eno1/device", "eno2/device"},
       ip_that(
           goes_by("eno1") + "'-o addr show to 192.0.2.9') echo '3: eno2    inet 192.0.2.9/24 "
                             "scope global eno2' ;;\n"),
       "device eno1\ndevice eno2\n"},
      {"no route", {}, ip_that(""), "unknown route\n"},
      {"loopback", {"lo/mtu"}, ip_that(goes_by("lo")), "unknown loopback\ndevice lo\n"},
      {"an address of its link",
       {"eno1/device"},
       ip_that(""),
       "device eno1\n",
       "fe80::1%eno1 50022 fe80::9%eno1 22"},
      {"IPv4 in IPv6",
       {"eno1/device"},
       ip_that(goes_by("eno1")),
       "device eno1\n",
       "::ffff:192.0.2.1 50022 ::ffff:192.0.2.9 22"},
  };
  return all;
}

}  // namespace

TEST_CASE("every shell says where the way of the session is lost", "[platform]") {
  for (const auto& shell : remote::test::shells()) {
    for (const Way& way : ways()) {
      INFO(shell.name << ": " << way.what);
      const std::string output = seen_on(shell, way.links, way.connection, way.tools, way.ovs);
      const std::string client = way.connection.substr(0, way.connection.find(' '));
      const std::string mapped = "::ffff:";
      CHECK(
          output == "client " + client.substr(client.starts_with(mapped) ? mapped.size() : 0) +
                        "\n" + way.expected);
    }
  }
}
