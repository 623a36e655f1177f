// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/verify.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/posix/machine/sh/scripts.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::verify::test {

namespace {

std::vector<Path> two_paths() {
  return {
      {port(1, 1), port(2, 2), "storage", "ens1f0np0", "10.30.0.4", 9000},
      {port(1, 1), port(3, 2), "storage", "ens1f0np0", "10.30.0.6", 9000}};
}

const platform::PathTests& by_linux() {
  return *platform::linux_platform().path_tests();
}

remote::Command script(const std::vector<Path>& paths) {
  return std::get<remote::step::Run>(ping_step(by_linux(), paths)).command;
}

std::vector<PathReport> answers(
    const std::vector<Path>& paths, const remote::CommandOutput& output) {
  remote::StepResult result;
  result.output = output;
  return parse_pings(by_linux(), paths, result);
}

}  // namespace

TEST_CASE("the script pings small, then with the full MTU unfragmented", "[verify]") {
  const remote::Command command = script({two_paths()[0]});
  CHECK(command.argv == remote::Argv{"sh", "-s", "/usr/sbin:/sbin"});
  CHECK(
      command.standard_input ==
      std::string{sh::pings.text} +
          "ask 0 small ping -n -c 1 -W 1 -I ens1f0np0 10.30.0.4\n"
          "[ $status -ne 0 ] || "
          "ask 0 full ping -n -c 1 -W 1 -I ens1f0np0 -M do -s 8972 10.30.0.4\n"
          "exit 0\n");
}

TEST_CASE("where nobody says how large a frame may be, only a small one is sent", "[verify]") {
  Path path = two_paths()[0];
  path.mtu = 0;
  const remote::Command command = script({path});
  CHECK(command.standard_input.find("ask 0 small") != std::string::npos);
  CHECK(command.standard_input.find("ask 0 full") == std::string::npos);
  const auto reports =
      answers({path}, {0, "fabric-ping 0 small\n64 bytes from 10.30.0.4\nfabric-exit 0\n", ""});
  CHECK(reports[0].small == Passage::passed);
  CHECK(reports[0].full == Passage::untested);
  CHECK(reports[0].detail.empty());
}

TEST_CASE("answers are told apart from silence", "[verify]") {
  const auto reports = answers(
      two_paths(),
      {0,
       "fabric-ping 0 small\n"
       "PING 10.30.0.4 (10.30.0.4) from 10.30.0.1 ens1f0np0: 56(84) bytes of data.\n"
       "64 bytes from 10.30.0.4: icmp_seq=1 ttl=64 time=0.05 ms\n"
       "fabric-exit 0\n"
       "fabric-ping 0 full\n"
       "PING 10.30.0.4 (10.30.0.4) from 10.30.0.1 ens1f0np0: 8972(9000) bytes of data.\n"
       "ping: local error: message too long, mtu=1500\n"
       "\n--- 10.30.0.4 ping statistics ---\n"
       "1 packets transmitted, 0 received, +1 errors, 100% packet loss, time 0ms\n"
       "fabric-exit 1\n"
       "fabric-ping 1 small\n"
       "PING 10.30.0.6 (10.30.0.6) from 10.30.0.1 ens1f0np0: 56(84) bytes of data.\n"
       "\n--- 10.30.0.6 ping statistics ---\n"
       "1 packets transmitted, 0 received, 100% packet loss, time 0ms\n"
       "fabric-exit 1\n",
       ""});
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].small == Passage::passed);
  CHECK(reports[0].full == Passage::lost);
  CHECK(reports[0].detail == "ping: local error: message too long, mtu=1500");
  CHECK(reports[1].small == Passage::lost);
  CHECK(reports[1].full == Passage::untested);
  CHECK(reports[1].detail.empty());
}

TEST_CASE("BusyBox has no -M: the full size is untested, not lost", "[verify]") {
  const auto reports = answers(
      {two_paths()[0]},
      {0,
       "fabric-ping 0 small\nfabric-exit 0\n"
       "fabric-ping 0 full\nping: invalid option -- 'M'\nBusyBox v1.35.0 multi-call "
       "binary.\nfabric-exit 1\n",
       ""});
  CHECK(reports[0].small == Passage::passed);
  CHECK(reports[0].full == Passage::untested);
  CHECK(reports[0].detail.find("BusyBox") != std::string::npos);
}

TEST_CASE("an answer cut short and a node without ping leave the path untested", "[verify]") {
  auto reports = answers(two_paths(), {0, "fabric-ping 0 small\nPING 10.30", ""});
  CHECK(reports[0].small == Passage::untested);
  CHECK(reports[0].detail == "the answer of the node was cut short");
  CHECK(reports[1].small == Passage::untested);
  reports = answers(
      {two_paths()[0]}, {0, "fabric-ping 0 small\nsh: ping: not found\nfabric-exit 127\n", ""});
  CHECK(reports[0].small == Passage::untested);
  CHECK(reports[0].detail == "ping is not installed");
}

}  // namespace fabric::verify::test
