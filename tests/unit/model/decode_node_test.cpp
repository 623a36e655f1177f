// SPDX-License-Identifier: Apache-2.0
#include "tests/support/catch.hpp"
#include "tests/unit/model/decoded.hpp"

namespace fabric {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("values zip with a node set by place") {
  const Decoded decoded = decode(R"(
nodes:
  pve[1-3]:
    address: 192.0.2.[11-13]
    host: "[21-23]"
    ssh: {user: "u[7-9]", port: "[2201-2203]", jump: "root@[2001:db8::1]:22"}
    adapters: {cx5: {model: connectx-5-vpi, serial: "S[04-06]"}}
)");
  CHECK(decoded.findings() == Lines{});
  const NodeSpec& last = decoded.node("pve3");
  CHECK(last.address.value == "192.0.2.13");
  CHECK(decoded.place(last.address.range) == "4:14");
  CHECK(decoded.place(last.range) == "3:3");
  CHECK(last.host_number->value == 23);
  CHECK(last.ssh->user.value == "u9");
  CHECK(last.ssh->port.value == 2203);
  CHECK(last.ssh->jump.value == "root@[2001:db8::1]:22");
  CHECK(last.adapters->at(0).selector.serial.value == "S06");
  CHECK(decoded.node("pve1").adapters->at(0).selector.serial.value == "S04");
}

TEST_CASE("labels zip where they name as many, and are text where they name nobody") {
  const Decoded decoded = decode(
      "nodes: {'a[1-2]': {labels: {rack: 'r[1-2]', note: '[x', dc: 'd[1]'}}, "
      "b: {labels: {rack: 'r[1-3]'}}}");
  CHECK(decoded.findings() == Lines{});
  CHECK(decoded.node("a2").labels.at("rack").value == "r2");
  CHECK(decoded.node("a2").labels.at("note").value == "[x");
  CHECK(decoded.node("b").labels.at("rack").value == "r[1-3]");
  CHECK(
      decode("nodes: {'a[1-2]': {labels: {rack: 'r[1-3]'}}}").findings() ==
      Lines{"1:35 bad-node-set: sets do not zip: 'a[1-2]' names 2, 'r[1-3]' names 3"});
}

TEST_CASE("brackets in other values are plain text") {
  const Decoded decoded = decode(
      "nodes: {'a[1-2]': {os: {release: '[x'}, "
      "ssh: {password: {command: [sed, 's/[0-9]//']}}}}");
  CHECK(decoded.findings() == Lines{});
  CHECK(decoded.node("a2").ssh->password->command == Lines{"sed", "s/[0-9]//"});
}

TEST_CASE("a set that does not zip is one finding, whatever the number of nodes") {
  const Decoded decoded = decode(R"(
nodes:
  pve[1-300]:
    address: 192.0.2.[1-4]
    host: "[1-3"
  alone: {address: "h[1-2]"}
  r[1-2]n[1-2]: {address: "h[1-5]"}
)");
  CHECK(
      decoded.findings() ==
      Lines{
          "4:14 bad-node-set: sets do not zip: 'pve[1-300]' names 300, '192.0.2.[1-4]' names 4",
          "5:11 bad-node-set: '[1-3' has brackets that do not pair",
          "6:20 bad-node-set: sets do not zip: 'alone' is one, 'h[1-2]' names 2",
          "7:27 bad-node-set: sets do not zip: 'r[1-2]n[1-2]' names 4, 'h[1-5]' names 5"});
  CHECK(decoded.spec.nodes.size() == 305);
}

TEST_CASE("defaults, profiles in order and the node merge: maps merge, lists replace") {
  const Decoded decoded = decode(R"(
defaults:
  ssh: {user: root, port: 2222}
  packages: [a, b]
  labels: {site: x, rack: r0}
profiles:
  one: {labels: {rack: r1, role: one}, ssh: {user: one}}
  two: {labels: {role: two}, packages: [c]}
nodes:
  n1: {profiles: [one, two], labels: {own: "yes"}}
  n2: {profiles: [two, one]}
  n3:
)");
  CHECK(decoded.findings() == Lines{});
  const auto label = [&](const char* node, const char* key) {
    return decoded.node(node).labels.at(key).value;
  };
  CHECK(label("n1", "site") == "x");
  CHECK(label("n1", "rack") == "r1");
  CHECK(label("n1", "role") == "two");
  CHECK(label("n1", "own") == "yes");
  CHECK(label("n2", "role") == "one");
  CHECK(label("n3", "rack") == "r0");
  CHECK(decoded.node("n1").packages.size() == 1);
  CHECK(decoded.node("n3").packages.size() == 2);
  CHECK(decoded.node("n1").ssh->user.value == "one");
  CHECK(decoded.node("n1").ssh->port.value == 2222);
  CHECK(decoded.node("n3").ssh->user.value == "root");
  CHECK(decoded.place(decoded.node("n1").ssh->user.range) == "7:52");
}

TEST_CASE("defaults may list the profiles of every node") {
  const Decoded decoded = decode(
      "defaults: {profiles: [p]}\nprofiles: {p: {platform: esxi}, q: {}}\n"
      "nodes: {a: {}, b: {profiles: [q]}}\n");
  CHECK(decoded.node("a").platform.value == Platform::esxi);
  CHECK(decoded.node("b").platform.value == Platform::linux);
}

TEST_CASE("an unknown profile is named with the one that was meant") {
  const Decoded decoded =
      decode("profiles: {storage: {}}\nnodes: {'a[1-3]': {profiles: [storge]}}\n");
  REQUIRE(decoded.findings() == Lines{"2:31 profile-unknown: there is no profile 'storge'"});
  CHECK(decoded.diagnostics.items()[0].help == "did you mean 'storage'?");
}

TEST_CASE("what is not written has the defaults of the contract") {
  const Decoded decoded = decode("nodes: {pve007: {}, gateway: {}, n0: {}}\n");
  const NodeSpec& node = decoded.node("pve007");
  CHECK(node.address.value == "pve007");
  CHECK_FALSE(is_known(node.address.range));
  CHECK(node.platform.value == Platform::linux);
  CHECK(node.state.value == NodeState::managed);
  CHECK(node.network_backend.value == NetworkBackend::automatic);
  CHECK(node.software->stack.value == "inbox");
  CHECK_FALSE(node.adopt.value);
  CHECK(node.host_number->value == 7);
  CHECK_FALSE(decoded.node("gateway").host_number);
  CHECK_FALSE(decoded.node("n0").host_number);
}

TEST_CASE("what may be lost by an adoption is read as patterns, each with its place") {
  const Decoded decoded = decode(
      "defaults: {adopt: true}\n"
      "nodes:\n"
      "  a1: {}\n"
      "  a2: {adopt: {drop: all}}\n"
      "  a3: {adopt: {drop: [\"interfaces post-up\", \"networkd Route.*=10.9.*\", post-up, "
      "\"ifcfg\", \"intrefaces up\"]}}\n"
      "  a4: {adopt: false}\n");
  const auto drops = [&decoded](const char* node) {
    Lines lines;
    for (const auto& each : decoded.node(node).adopt_drops)
      lines.push_back(each.value);
    return lines;
  };
  CHECK(decoded.node("a1").adopt.value);
  CHECK(drops("a1").empty());
  CHECK(drops("a2") == Lines{"* *"});
  CHECK(decoded.node("a3").adopt.value);
  CHECK(drops("a3") == Lines{"interfaces post-up", "networkd Route.*=10.9.*"});
  CHECK_FALSE(decoded.node("a4").adopt.value);
  CHECK(
      decoded.findings() ==
      Lines{
          "5:72 out-of-range: 'post-up' is no kind of configuration; expected one of interfaces, "
          "networkd, netplan, keyfile, ifcfg, running, opensm, partitions, modprobe",
          "5:81 out-of-range: 'ifcfg' names no statement; expected `KIND KEY` or `KIND KEY=VALUE`, "
          "such as `interfaces post-up`",
          "5:90 out-of-range: 'intrefaces' is no kind of configuration; expected one of "
          "interfaces, networkd, netplan, keyfile, ifcfg, running, opensm, partitions, modprobe"});
}

TEST_CASE("a node that is declared twice is named with both places") {
  const Decoded decoded = decode("nodes:\n  pve[1-4]: {}\n  pve3: {}\n  a[1,1]: {}\n");
  CHECK(
      decoded.findings() == Lines{
                                "3:3 duplicate-key: the node 'pve3' is given twice",
                                "4:3 duplicate-key: the node 'a1' is given twice"});
  CHECK(decoded.place(decoded.diagnostics.items()[0].related.at(0).range) == "2:3");
}

TEST_CASE("a kernel parameter has one spelling") {
  const Decoded decoded = decode(
      "defaults: {sysctl: {net/core/rmem_max: 1, net.core.wmem_max: 2}}\n"
      "nodes:\n  a1: {sysctl: {net.core.rmem_max: 3, net.ipv4.conf.eth0/100.arp_ignore: 4}}\n"
      "  a2: {sysctl: {net/core/rmem_max: 5, net.core.rmem_max: 6}}\n");
  const auto values = [&decoded](const char* node) {
    Lines lines;
    for (const auto& [key, value] : decoded.node(node).sysctl)
      lines.push_back(key + "=" + value.value);
    return lines;
  };
  CHECK(
      values("a1") ==
      Lines{"net.core.rmem_max=3", "net.core.wmem_max=2", "net/ipv4/conf/eth0.100/arp_ignore=4"});
  CHECK(
      decoded.findings() == Lines{"4:39 duplicate-key: 'net/core/rmem_max' and "
                                  "'net.core.rmem_max' are one kernel parameter"});
  CHECK(decoded.place(decoded.diagnostics.items()[0].related.at(0).range) == "4:17");
}

TEST_CASE("a node name that is no host name is refused") {
  const Decoded decoded = decode("nodes: {'a b': {}, 'pve[1-': {}, ok: {}}\n");
  CHECK(
      decoded.findings() == Lines{
                                "1:9 wrong-type: a node name can't contain ' '",
                                "1:20 bad-node-set: 'pve[1-' has brackets that do not pair"});
  CHECK(decoded.spec.nodes.size() == 1);
}

TEST_CASE("adapters come from all layers, their sets expanded") {
  const Decoded decoded = decode(R"(
profiles:
  gpu: {adapters: {"hca[0-3]": {model: connectx-6-vpi, ports: 1, pci: "0000:[10-13]:00.0"}}}
nodes:
  n1:
    profiles: [gpu]
    adapters: {hca2: {firmware: {params: {SRIOV_EN: true, NUM_OF_PF: default}}}, eth: {model: connectx-4-lx}}
)");
  CHECK(decoded.findings() == Lines{});
  const NodeSpec& node = decoded.node("n1");
  REQUIRE(node.adapters->size() == 5);
  CHECK(node.adapters->front().name == "eth");
  CHECK(node.adapters->front().ports.value == 2);
  const AdapterSpec& hca2 = *node.find_adapter("hca2");
  CHECK(hca2.ports.value == 1);
  CHECK(hca2.selector.pci.value == "0000:12:00.0");
  CHECK(hca2.firmware.params.at("SRIOV_EN").value == "true");
  CHECK_FALSE(hca2.firmware.params.at("NUM_OF_PF").value);
  CHECK(decoded.place(hca2.range) == "7:16");
  CHECK(node.find_adapter("hca3")->firmware.params.empty());
}

TEST_CASE("an adapter without a model, or with an unknown one, says what to write") {
  const Decoded decoded = decode(R"(
nodes:
  a[1-9]:
    adapters:
      none: {}
      typo: {model: conectx-5-vpi}
      card: {model: MT4119}
      three: {model: connectx-5-vpi, ports: 3}
)");
  REQUIRE(
      decoded.findings() == Lines{
                                "5:7 missing-key: the adapter 'none' has no 'model'",
                                "6:21 model-unknown: there is no adapter model 'conectx-5-vpi'",
                                "7:21 model-unknown: there is no adapter model 'MT4119'",
                                "8:45 out-of-range: 3 ports, but a ConnectX-5 VPI has at most 2"});
  std::vector<std::string> help;
  for (const Diagnostic& each : decoded.diagnostics.items())
    help.push_back(each.help);
  CHECK(std::count(help.begin(), help.end(), "did you mean 'connectx-5-vpi'?") == 1);
}

TEST_CASE("two selectors of one adapter exclude each other, also across layers") {
  const Decoded decoded = decode(
      "profiles: {p: {adapters: {c: {model: connectx-5, pci: '0000:01:00.0'}}}}\n"
      "nodes: {a: {profiles: [p], adapters: {c: {serial: x}}}}\n");
  REQUIRE(decoded.findings() == Lines{"2:51 duplicate-key: 'pci' and 'serial' exclude each other"});
}

TEST_CASE("sets in sets that come to absurd numbers are refused before they take memory") {
  const Decoded decoded =
      decode("nodes:\n  ok1: {}\n  a[1-90000]: {adapters: {'c[1-90000]': {model: connectx-5}}}\n");
  CHECK(
      decoded.findings() ==
      Lines{"3:3 out-of-range: the document comes to more than 10000000 values here"});
  CHECK(decoded.spec.nodes.size() == 1);
}

TEST_CASE("values of a wrong shape are passed over") {
  const Decoded decoded = decode(R"(
defaults: [1]
profiles: 7
nodes:
  a: text
  b: {ssh: [x], adapters: 3, host: {}, profiles: x, labels: [], platform: dos, modules: {m: 1}}
networks: []
rollout: 3
)");
  CHECK(decoded.findings() == Lines{});
  CHECK(decoded.spec.nodes.size() == 2);
  CHECK(decoded.node("b").platform.value == Platform::linux);
}

TEST_CASE("what is left out of a node is the same for all nodes") {
  const Decoded decoded = decode(
      "nodes:\n  a: {}\n  b: {}\n  c: {software: {}, hooks: {timeout: 1m}, ssh: {user: u}}\n");
  const NodeSpec& a = decoded.node("a");
  const NodeSpec& b = decoded.node("b");
  const NodeSpec& c = decoded.node("c");
  CHECK(&*a.ssh == &*b.ssh);
  CHECK(&*a.os == &*c.os);
  CHECK(&*a.software == &*b.software);
  CHECK(&*a.hooks == &*b.hooks);
  CHECK(a.software->stack.value == "inbox");
  CHECK(c.software->stack.value == "inbox");
  CHECK(a.hooks->timeout.value == std::chrono::minutes{10});
  CHECK(c.hooks->timeout.value == std::chrono::minutes{1});
  CHECK(a.ssh->user.value.empty());
  CHECK(c.ssh->user.value == "u");
}

TEST_CASE("the rollout has the defaults of the contract and takes durations") {
  using std::chrono::minutes;
  using std::chrono::seconds;
  CHECK(decode("name: x\n").spec.rollout.max_unavailable.value == 1);
  CHECK(decode("name: x\n").spec.rollout.reboot_timeout.value == minutes{15});
  CHECK(decode("name: x\n").spec.rollout.confirm_timeout.value == minutes{2});
  const Decoded decoded = decode(R"(
rollout: {max_unavailable: 4, reboot_timeout: 90s, confirm_timeout: 1h, canary: ["a[1-2]"], reboot: {command: ipmi}}
hooks: {before_disruption: [drain, -f]}
)");
  CHECK(decoded.spec.rollout.max_unavailable.value == 4);
  CHECK(decoded.spec.rollout.reboot_timeout.value == seconds{90});
  CHECK(decoded.spec.rollout.confirm_timeout.value == minutes{60});
  CHECK(decoded.spec.rollout.canary.size() == 2);
  CHECK(decoded.spec.rollout.reboot_command.value == Lines{"sh", "-c", "ipmi"});
  CHECK(decoded.spec.hooks.before_disruption.value == Lines{"drain", "-f"});
}

}  // namespace
}  // namespace fabric
