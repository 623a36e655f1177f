// SPDX-License-Identifier: Apache-2.0
// What the probes of a node cost it: each program that their script starts takes a node, and the
// far end of a thousand of them, longer than all that the shell does between two.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/builtin.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/unit/providers/fixture.hpp"
#include "tests/unit/providers/probes/probe_tree.hpp"

namespace fabric::providers {
namespace {

using namespace test;

constexpr std::string_view kNonce = "00c0ffee";

std::vector<Probe> all_probes() {
  Registry registry;
  add_builtin_providers(registry);
  std::vector<Probe> probes = registry.all_probes(Platform::linux);
  std::vector<Probe> own = platform::linux_platform().own_probes();
  own.push_back(platform::linux_platform().identity_probe());
  for (Probe& probe : own) {
    const bool is_there = std::any_of(
        probes.begin(), probes.end(), [&](const Probe& other) { return other.id == probe.id; });
    if (!is_there) probes.push_back(std::move(probe));
  }
  return probes;
}

// A node without a card whose tools note that they are started.
class CountedNode {
 public:
  CountedNode() {
    // Nothing of this machine is found there.
    tree_.login = "PATH=/nowhere SSH_CONNECTION='198.51.100.7 50022 192.0.2.2 22'\n";
    tree_.folders = "/nowhere";
    for (const char* tool :
         {"awk",
          "cat",
          "find",
          "grep",
          "head",
          "od",
          "readlink",
          "sed",
          "sha256sum",
          "stat",
          "tail",
          "timeout",
          "tr",
          "uniq",
          "wc"}) {
      program(tool, fmt::format("exec \"$(PATH=/usr/bin:/bin; command -v {})\" \"$@\"\n", tool));
    }
    program("ip", R"sh(case "$*" in
  *"addr show to"*) echo '2: eth0    inet 192.0.2.2/24 brd 192.0.2.255 scope global eth0' ;;
  *"route get"*) echo '198.51.100.7 via 192.0.2.1 dev eth0 src 192.0.2.2 uid 0 \    cache ' ;;
  *"link show dev"*) echo '2: eth0: <BROADCAST,UP> mtu 1500 qdisc mq state UP \    link/ether' ;;
  *"rule show"*) echo '[{"priority":0,"src":"all","table":"local"}]' ;;
  *"-j "*) echo '[]' ;;
  *) echo 'default via 192.0.2.1 ' ;;
esac
)sh");
    for (const char* tool : {"dpkg-query", "systemctl", "tc"})
      program(tool, "exit 0\n");
    tree_.file("/proc/sys/kernel/random/boot_id", "0d1f2a3b-4c5d-6e7f-8091-a2b3c4d5e6f7\n");
    tree_.file("/proc/sys/kernel/osrelease", "6.1.0\n");
    tree_.file("/proc/stat", "btime 1767225600\n");
    tree_.file("/proc/cmdline", "quiet\n");
    tree_.file("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
    tree_.file("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
    tree_.file("/etc/sysctl.conf", "# none\n");
    tree_.file("/var/lib/dpkg/status", "");
    interface("eth0");
  }

  void interface(const std::string& name) {
    const std::string folder = "/sys/class/net/" + name + "/";
    for (const char* file : {"device/vendor", "type", "mtu", "address", "operstate", "speed"})
      tree_.file(folder + file, "1\n");
    tree_.file("/proc/sys/net/ipv4/conf/" + name + "/rp_filter", "0\n");
  }

  // "ip": how often. All that it tells must be there, so that none was left out.
  std::map<std::string, int> programs() {
    const auto output = tree_.run_at_once(remote::test::shells().front(), all_probes(), kNonce);
    platform::ProbeTexts texts;
    const auto sections =
        platform::split_probe_output(all_probes(), kNonce, output, texts, Platform::linux);
    REQUIRE(sections);
    CHECK(
        sections->at("session").standard_output ==
        "client 198.51.100.7\nroute default\ndevice eth0\n");
    CHECK(
        sections->at("identity").standard_output.str().find("boot_id:0d1f2a3b") !=
        std::string::npos);
    CHECK(sections->at("os").standard_output.str().find("ID=debian") != std::string::npos);
    for (const auto& [id, section] : *sections) {
      INFO(id << ": " << section.standard_error);
      CHECK((id == "lldp" || section.standard_error.empty()));
    }
    const std::string noted = remote::test::read_text(tree_.at("/programs"));
    std::map<std::string, int> started;
    for (const std::string_view tool : split_lines(noted))
      ++started[std::string{tool}];
    return started;
  }

 private:
  void program(const std::string& name, const std::string& script) {
    tree_.program(name, fmt::format("echo {} >>{}\n{}", name, tree_.at("/programs"), script));
  }

  Tree tree_;
};

TEST_CASE("the probes start few programs, however many interfaces a node has", "[providers]") {
  CountedNode node;
  const std::map<std::string, int> few = node.programs();
  CHECK(few.contains("ip"));
  int sum = 0;
  for (const auto& [name, count] : few) {
    UNSCOPED_INFO(name << " " << count);
    sum += count;
  }
  CHECK(sum <= 25);

  CountedNode crowded;
  for (int i = 1; i <= 40; ++i)
    crowded.interface(fmt::format("veth{}", i));
  CHECK(crowded.programs() == few);
}

}  // namespace
}  // namespace fabric::providers
