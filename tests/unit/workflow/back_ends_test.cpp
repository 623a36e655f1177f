// SPDX-License-Identifier: Apache-2.0
// netplan and NetworkManager configure what the document says, give it up and give it back, in
// virtual time.
#include "tests/unit/workflow/lab_ring.hpp"

namespace fabric::workflow::test {
namespace {

constexpr const char* kBackends[] = {"netplan", "networkmanager"};

std::string nodes_of(const std::string& backend, const std::string& keys = {}) {
  return fmt::format(
      "apiVersion: fabric/v1\nname: pair\nnodes:\n"
      "  n[1-2]: {{network_backend: {}, {}adapters: {{cx5: {{model: connectx-5-en}}}}}}\n",
      backend,
      keys);
}

constexpr const char* kPorts =
    "networks:\n"
    "  storage:\n    mode: ethernet\n    mtu: 9000\n    ipv4: {subnet: 10.30.0.0/24}\n"
    "    cables: [[n1/1, n2/1]]\n"
    "  backup:\n    mode: ethernet\n    mtu: 4200\n    ipv4: {subnet: 10.31.0.0/24}\n"
    "    ipv6: {subnet: \"fd31::/64\"}\n    cables: [[n1/2, n2/2]]\n";
constexpr const char* kBond =
    "networks:\n  direct:\n    mode: lag\n    mtu: 9000\n    ipv4: {subnet: 10.30.0.0/24}\n"
    "    vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}\n"
    "    lag: {bond: bond0, policy: 802.3ad, lacp_rate: fast}\n"
    "    cables: [[n1/1, n2/1], [n1/2, n2/2]]\n";

lab::LabSpec reality_of(const std::string& backend) {
  lab::LabSpec reality;
  for (const char* node : {"n1", "n2"})
    reality.hosts[node].backend = backend;
  return reality;
}

std::string look(LabRing& pair, const std::string& command, const char* node = "n1") {
  return pair.lab.look(named(node), command, "").standard_output;
}

void change(LabRing& pair, const std::string& command, const std::string& input = {}) {
  pair.lab.change(named("n1"), command, input);
}

void boot_all(LabRing& pair) {
  for (const char* node : {"n1", "n2"})
    pair.lab.cut_power(named(node));
  // The lab's time may be ahead of the runner's by the boots before.
  const auto are_up = [&] {
    return pair.lab.power(named("n1")) == lab::Power::up &&
           pair.lab.power(named("n2")) == lab::Power::up;
  };
  TimePoint until = pair.runner.clock().now();
  for (int minute = 0; minute < 60 && !are_up(); ++minute) {
    until += Duration{60'000};
    pair.lab.advance(until);
  }
  REQUIRE(are_up());
}

constexpr const char* kRunning = "ip -o link show; ip -o addr show; ip route show; ip rule show";

bool pings(LabRing& pair, const std::string& address) {
  return pair.lab.look(named("n1"), "ping -c 1 -W 1 " + address, "").exit_status == 0;
}

void apply(LabRing& pair, const Wanted& wanted) {
  const ExitCode ended = pair.apply(wanted, pair.plan(wanted).plan);
  for (const execute::ActionResult& each : pair.heard.result->actions)
    if (!each.detail.empty()) UNSCOPED_INFO(each.detail);
  REQUIRE(ended == ExitCode::done);
}

void check_plan_is_empty(LabRing& pair, const Wanted& wanted) {
  const Planned planned = pair.plan(wanted);
  for (const Diagnostic& each : planned.diagnostics.items())
    UNSCOPED_INFO(each.message);
  for (const plans::Action& each : planned.plan.actions)
    UNSCOPED_INFO(each.node.str() + ": " + each.draft.title);
  CHECK(planned.plan.actions.empty());
}

TEST_CASE(
    "netplan and NetworkManager make ports and bonds run, and a boot makes the same",
    "[workflow]") {
  for (const std::string backend : kBackends) {
    for (const char* network : {kPorts, kBond}) {
      CAPTURE(backend, network);
      LabRing pair{nodes_of(backend) + network, nodes_of(backend), reality_of(backend)};
      apply(pair, pair.wanted);
      check_plan_is_empty(pair, pair.wanted);
      CHECK(pings(pair, "10.30.0.2"));
      const std::string before = look(pair, "ip -o addr show; cat /proc/net/bonding/bond0");
      boot_all(pair);
      check_plan_is_empty(pair, pair.wanted);
      CHECK(pings(pair, "10.30.0.2"));
      CHECK(pings(pair, network == kBond ? "10.100.0.2" : "10.31.0.2"));
      const std::string addresses = look(pair, "ip -o -4 addr show");
      CHECK(addresses.find("10.30.0.1/24") != std::string::npos);
    }
  }
}

TEST_CASE("netplan and NetworkManager change a bond that runs, and take it away", "[workflow]") {
  for (const std::string backend : kBackends) {
    CAPTURE(backend);
    const std::string text = nodes_of(backend) + kBond;
    LabRing pair{text, nodes_of(backend), reality_of(backend)};
    apply(pair, pair.wanted);
    std::string other = text;
    other.replace(other.find("lacp_rate: fast"), 15, "lacp_rate: slow, min_links: 1");
    other.replace(other.find("10.100.0.0"), 10, "10.101.0.0");
    const Wanted changed = wanted_by(other);
    apply(pair, changed);
    check_plan_is_empty(pair, changed);
    const std::string bond = look(pair, "cat /proc/net/bonding/bond0");
    CHECK(bond.find("LACP rate: slow") != std::string::npos);
    CHECK(bond.find("Slave Interface: enp1s0f1np1") != std::string::npos);
    CHECK(pings(pair, "10.101.0.2"));
    apply(pair, pair.without_network);
    check_plan_is_empty(pair, pair.without_network);
    const std::string left = look(pair, kRunning);
    CHECK(left.find("bond0") == std::string::npos);
    CHECK(left.find("10.30.0.1") == std::string::npos);
    boot_all(pair);
    check_plan_is_empty(pair, pair.without_network);
  }
}

TEST_CASE("netplan and NetworkManager take back what cut a node off", "[workflow]") {
  for (const std::string backend : kBackends) {
    CAPTURE(backend);
    const std::string text = nodes_of(backend) + kBond;
    LabRing pair{text, nodes_of(backend), reality_of(backend)};
    apply(pair, pair.wanted);
    const std::string before = look(pair, "ip -o -4 addr show");
    REQUIRE(pair.lab.set_fault(named("n1"), lab::Fault::cut_off));
    std::string other = text;
    other.replace(other.find("policy: 802.3ad, lacp_rate: fast"), 32, "policy: active-backup");
    const Wanted changed = wanted_by(other);
    CHECK(pair.apply(changed, pair.plan(changed).plan) == ExitCode::rolled_back);
    REQUIRE(pair.lab.set_fault(named("n1"), lab::Fault::none));
    CHECK(look(pair, "ip -o -4 addr show") == before);
    const std::string bond = look(pair, "cat /proc/net/bonding/bond0");
    CHECK(bond.find("802.3ad") != std::string::npos);
    CHECK(bond.find("Slave Interface: enp1s0f0np0") != std::string::npos);
    CHECK(bond.find("Slave Interface: enp1s0f1np1") != std::string::npos);
  }
}

// What somebody runs by hand, and what then must not change without being asked.
constexpr const char* kTheirs[] = {
    "ip link set enp1s0f0np0 up; ip addr add 10.99.0.1/24 dev enp1s0f0np0",
    "ip link add link enp1s0f0np0 name theirs type vlan id 70",
    "ip link add br7 type bridge; ip link set enp1s0f0np0 master br7; ip link set br7 up",
    "ip link add bond7 type bond mode active-backup miimon 100; ip link set enp1s0f0np0 down; "
    "ip link set enp1s0f0np0 master bond7; ip link set bond7 up; ip addr add 10.98.0.1/24 dev "
    "bond7"};

TEST_CASE(
    "what runs by hand is asked about before netplan or NetworkManager take it", "[workflow]") {
  for (const std::string backend : kBackends) {
    for (const char* theirs : kTheirs) {
      CAPTURE(backend, theirs);
      LabRing pair{nodes_of(backend) + kPorts, nodes_of(backend), reality_of(backend)};
      change(pair, theirs);
      const std::string before = look(pair, kRunning);
      const Planned refused = pair.plan();
      CHECK(refused.diagnostics.has_errors());
      CHECK(look(pair, kRunning) == before);
      const Wanted adopting =
          wanted_by(nodes_of(backend, "adopt: {drop: [running master]}, ") + kPorts);
      apply(pair, adopting);
      check_plan_is_empty(pair, adopting);
      const std::string after = look(pair, kRunning);
      CHECK(after.find("10.30.0.1/24") != std::string::npos);
      CHECK(after.find("10.99.0.1/24") == std::string::npos);
    }
  }
}

struct Theirs {
  const char *backend, *path, *text;
};
constexpr Theirs kFiles[] = {
    {"netplan",
     "/etc/netplan/60-theirs.yaml",
     "network:\n  version: 2\n  ethernets:\n    enp1s0f0np0:\n      addresses: [10.99.0.1/24]\n"},
    {"networkmanager",
     "/etc/NetworkManager/system-connections/theirs.nmconnection",
     "[connection]\nid=theirs\nuuid=0f3d6c3a-52f1-4c0e-9a55-4b0d5a3b7c99\ntype=ethernet\n"
     "interface-name=enp1s0f0np0\n\n[ipv4]\naddress1=10.99.0.1/24\nmethod=manual\n\n"
     "[ipv6]\nmethod=disabled\n"},
};

TEST_CASE("files of somebody else are taken over, and given back as they were", "[workflow]") {
  for (const Theirs& theirs : kFiles) {
    const std::string backend = theirs.backend;
    CAPTURE(backend);
    LabRing pair{nodes_of(backend) + kPorts, nodes_of(backend), reality_of(backend)};
    const std::string path = theirs.path;
    change(pair, "cat >" + path + " && chmod 600 " + path, theirs.text);
    change(pair, backend == "netplan" ? "netplan apply" : "nmcli connection reload");
    REQUIRE(look(pair, kRunning).find("10.99.0.1/24") != std::string::npos);
    const std::string before = look(pair, kRunning);
    CHECK(pair.plan().diagnostics.has_errors());
    CHECK(look(pair, kRunning) == before);
    const Wanted adopting = wanted_by(nodes_of(backend, "adopt: true, ") + kPorts);
    apply(pair, adopting);
    check_plan_is_empty(pair, adopting);
    CHECK(look(pair, kRunning).find("10.99.0.1/24") == std::string::npos);
    boot_all(pair);
    check_plan_is_empty(pair, adopting);
    const Wanted released = wanted_by(nodes_of(backend, "adopt: true, "));
    apply(pair, released);
    CHECK(look(pair, "cat " + path) == theirs.text);
    const std::string after = look(pair, kRunning);
    CHECK(after.find("10.99.0.1/24") != std::string::npos);
    CHECK(after.find("10.30.0.1/24") == std::string::npos);
    check_plan_is_empty(pair, released);
    boot_all(pair);
    CHECK(look(pair, kRunning).find("10.99.0.1/24") != std::string::npos);
  }
}

}  // namespace
}  // namespace fabric::workflow::test
