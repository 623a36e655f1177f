// SPDX-License-Identifier: Apache-2.0
#include "engine/schema/validate.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/catalog.hpp"
#include "engine/yaml/parse.hpp"

#include "tests/support/catch.hpp"

namespace fabric::schema {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kHead = "apiVersion: fabric/v1\nname: f\n";

// Every finding as "line:column slug message | help".
Lines findings(const std::string& text, const Schema& schema) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", text);
  Diagnostics diagnostics;
  const yaml::Node root = yaml::parse(sources, file, diagnostics);
  validate(root, schema, diagnostics);
  diagnostics.sort();
  Lines lines;
  for (const Diagnostic& item : diagnostics.items()) {
    const Position place = sources.position(file, item.range.begin);
    lines.push_back(
        std::to_string(place.line) + ":" + std::to_string(place.column) + " " + item.rule + " " +
        item.message + " | " + item.help);
  }
  return lines;
}

Lines in_fabric(std::string_view body) {
  static const Schema kSchema = *Schema::load(find_schema("fabric"));
  return findings(std::string{kHead} + std::string{body}, kSchema);
}

TEST_CASE("the document of the contract is valid", "[schema]") {
  CHECK(in_fabric(R"(defaults:
  ssh: {user: root, identity_file: ~/.ssh/id_ed25519}
profiles:
  storage: {adapters: {cx5: {model: connectx-5-vpi, ports: 2}}}
nodes:
  pve[1-4]:
    address: 192.0.2.[11-14]
    profiles: [storage]
networks:
  storage:
    mode: chain
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [{ring: [pve1, pve2, pve3, pve4]}]
)") == Lines{});
}

TEST_CASE("keys of another mode and choices with a slug of their own pass the schema", "[schema]") {
  CHECK(in_fabric(R"(nodes:
  a:
  b: {adapters: {x: }}
networks:
  ring:
    mode: chain
    mtu: -7
    subnet_managers: [{node: a, port: x/1, priority: 15}, {node: b, port: 1}]
    lag: {policy: 9}
    partitions: {p: {pkey: 0x8001}, q: {pkey: "0x8001", members: {ALL: full, "a/1": limited}}}
    vlans: {v: {id: 7}}
    ipoib: {mode: connected, mtu: 65520, uplinks: 99}
    cables:
      - [a/1, b/2]
      - ["c[1-36]/1", "leaf1/[1-36]"]
      - {ends: [a/1, b/1], label: A1, length: 3, type: dac, speed: 100G}
      - {for: {i: 1-32, r: 0-7}, ends: ["n{i}/hca{r}/1", "r{r}/{i}"]}
      - {mesh: ["a[1-3]"]}
      - {chain: [a, b/x]}
)") == Lines{});
}

TEST_CASE("every problem of a document is found in one run", "[schema]") {
  CHECK(
      in_fabric(R"(nodes:
  a:
    platfrom: linux
    host: 0
    os: {release: 12, minimum: 4.9}
    ssh: {port: 70000, password: {env: A, command: b}}
    adapters:
      x: {pci: 0000:03:00.0, ports: three}
    state: observed
networks:
  n:
    mtu: "9000"
    cables:
      - [a/1]
      - {ends: [a/1, b/1], lable: x}
      - {rnig: [a, b]}
      - 7
rollout: {reboot_timeout: 15 min, canary: a}
)") ==
      Lines{
          "5:5 unknown-key unknown key 'platfrom' in nodes.a | did you mean 'platform'?",
          "6:11 out-of-range nodes.a.host: expected at least 1, found the whole number 0 | Host "
          "number, from 1, for automatic addresses: subnet + host. Zips with the key. Default: the "
          "trailing digits of the name",
          "7:19 wrong-type nodes.a.os.release: expected a text, found the whole number 12 | quote "
          "it: \"12\"",
          "7:32 ambiguous-scalar '4.9' is read as the number 4.9 | quote it: \"4.9\"",
          "8:17 out-of-range nodes.a.ssh.port: expected a number from 1 to 65535, found the whole "
          "number 70000 | TCP port, 1 to 65535. As a node set it zips with the key",
          "8:43 out-of-range nodes.a.ssh.password: expected exactly 1 key, found 2 | Source of "
          "the password: {env: NAME} or {command: [...]}, and never the password itself. Without "
          "it, `--credentials` and `--ask-password` give passwords",
          "10:16 ambiguous-scalar '0000:03:00.0' is a number in base 60 to YAML 1.1 readers and a "
          "text to others | quote it: \"0000:03:00.0\"",
          "10:37 wrong-type nodes.a.adapters.x.ports: expected a whole number, found the text "
          "'three' | Number of ports of the card. Default: of the model",
          "11:12 out-of-range nodes.a.state: expected one of managed, observe, absent, offline, "
          "found the "
          "text 'observed' | did you mean 'observe'?",
          "13:3 missing-key missing key 'mode' in networks.n | infiniband; ethernet; chain: a ring "
          "of ConnectX-5 host chaining without a switch; lag: the two ports of an adapter in one "
          "bond",
          "14:10 wrong-type networks.n.mtu: expected a whole number, found the text '9000' | write "
          "it without quotes: 9000",
          "16:9 out-of-range networks.n.cables[0]: expected exactly 2 items, found 1 | [A, B]: the "
          "two ends. With a node set in each, the sets zip. Example: [pve1/1, pve2/2]",
          "17:28 unknown-key unknown key 'lable' in networks.n.cables[1] | did you mean 'label'?",
          "18:10 unknown-key unknown key 'rnig' in networks.n.cables[2] | did you mean 'ring'?",
          "19:9 wrong-type networks.n.cables[3]: expected a mapping or a list, found the whole "
          "number 7 | write a list: [7]",
          "20:27 out-of-range rollout.reboot_timeout: expected a text of another form, found the "
          "text '15 min' | A whole number with its unit: ms, s, m or h. Example: 15m",
          "20:43 wrong-type rollout.canary: expected a list, found the text 'a' | write a list: "
          "[a]"});
}

TEST_CASE(
    "an ambiguous scalar is reported once, whatever its type would be, keys too", "[schema]") {
  CHECK(
      in_fabric(
          "nodes:\n  010: {labels: {a: no, on: y}}\n  a: {platform: off, nonsense: [1_000]}\n") ==
      Lines{
          "4:3 ambiguous-scalar '010' is 8 to YAML 1.1 readers and 10 to others | quote it: "
          "\"010\"",
          "4:21 ambiguous-scalar 'no' is false to YAML 1.1 readers and a text to others | quote "
          "it: \"no\"",
          "4:25 ambiguous-scalar 'on' is true to YAML 1.1 readers and a text to others | quote "
          "it: \"on\"",
          "5:17 ambiguous-scalar 'off' is false to YAML 1.1 readers and a text to others | quote "
          "it: \"off\"",
          "5:22 unknown-key unknown key 'nonsense' in nodes.a | known keys: adapters, address, "
          "adopt, hooks, host, labels, mlag, model, modules, mtu, network_backend, node_guid, "
          "os, "
          "packages, platform, profiles, proof, restore, software, ssh, state, sysctl, "
          "system_name, "
          "tuning",
          "5:33 ambiguous-scalar '1_000' is a number without its underscores to YAML 1.1 readers "
          "and a text to others | quote it: \"1_000\""});
}

TEST_CASE("what stands beside an empty key probably belongs below it", "[schema]") {
  CHECK(
      in_fabric("nodes: {a: {}}\nnetworks:\nring: {mode: chain}\n") ==
      Lines{
          "4:9 wrong-type networks: expected a mapping, found nothing | Networks by name: a "
          "letter or a digit, then up to 62 letters, digits, '_' and '-'. A key may be a node set",
          "5:1 unknown-key unknown key 'ring' in the document | indent it, if it belongs to "
          "'networks'"});
}

TEST_CASE("a number may be a fraction where the schema says so", "[schema]") {
  const Schema schema =
      *Schema::load(R"({"properties": {"loss": {"type": "number"}, "n": {"type": "integer"}}})");
  CHECK(findings("loss: 0.01\n", schema) == Lines{});
  CHECK(findings("loss: 1e3\n", schema).size() == 1);
  CHECK(findings("n: 99999999999999999999\n", schema) == Lines{});
  CHECK(
      findings("n: 0.5\n", schema) ==
      Lines{"1:4 ambiguous-scalar '0.5' is read as the number 0.5 | write it as a whole decimal "
            "number"});
}

TEST_CASE("a node set that YAML took for a list is told to be quoted", "[schema]") {
  CHECK(
      in_fabric("nodes: {'a[1-2]': {host: [11-12]}}\n") ==
      Lines{"3:26 wrong-type nodes.a[1-2].host: expected a text or a whole number, found a list "
            "| a node set in brackets must be quoted: \"[11-12]\""});
}

TEST_CASE("port numbers may be plain keys, and other keys are unknown", "[schema]") {
  CHECK(in_fabric("nodes: {a: {adapters: {x: {names: {1: eth40a, 2: eth40b}}}}}\n") == Lines{});
  CHECK(in_fabric("nodes: {a: {adapters: {x: {names: {5: eth40a}}}}}\n").size() == 1);
}

TEST_CASE("an empty document misses its keys", "[schema]") {
  static const Schema kSchema = *Schema::load(find_schema("fabric"));
  CHECK(findings("", kSchema).size() == 1);
  CHECK(findings("{}", kSchema).size() == 3);
}

TEST_CASE("exactly one branch of oneOf must fit", "[schema]") {
  const Schema schema = *Schema::load(R"({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]})");
  CHECK(findings("a: 1\n", schema) == Lines{});
  CHECK(findings("{}\n", schema) == Lines{"1:1 missing-key missing key 'a' in the document | "});
  CHECK(
      findings("{a: 1, b: 2}\n", schema) ==
      Lines{"1:1 out-of-range the document: fits 2 forms where exactly one is allowed | "});
}

TEST_CASE("lengths are counted in characters, not bytes", "[schema]") {
  const Schema schema = *Schema::load(R"({"minLength": 2})");
  CHECK(findings("\xc3\xa4\xc3\xb6\n", schema) == Lines{});
  CHECK(findings("\xc3\xa4\n", schema).size() == 1);
}

TEST_CASE("a text is one line, unless it is a program", "[schema]") {
  for (const char* body :
       {"nodes: {a: {labels: {rack: \"r1\\nr2\"}}}\n",
        "nodes: {a: {system_name: \"x\\u202ey\"}}\n",
        "nodes: {a: {address: \"x\\ty\"}}\n",
        "nodes: {a: {}}\nnetworks: {n: {mode: ethernet, vswitch: \"x\\0\"}}\n",
        "nodes: {a: {}}\nnetworks: {n: {mode: ethernet, cables: [{ends: [a, b], label: "
        "\"x\\ry\"}]}}\n",
        "nodes: {a: {sysctl: {\"x\\ny\": 1}}}\n",
        "nodes: {a: {sysctl: {x: \"1\\nkernel.core_pattern=|x\"}}}\n",
        "nodes: {a: {packages: [\"x\\ny\"]}}\n"}) {
    INFO(body);
    CHECK_FALSE(in_fabric(body).empty());
  }
  CHECK(
      in_fabric("hooks: {before_disruption: \"a\\nb\", after_disruption: [sh, -c, "
                "\"a\\nb\"]}\nnodes: {a: {}}\n") == Lines{});
}

}  // namespace
}  // namespace fabric::schema
