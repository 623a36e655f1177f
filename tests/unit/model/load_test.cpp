// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/load.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/unit/model/decoded.hpp"

namespace fabric {
namespace {

using Lines = std::vector<std::string>;

struct Loaded {
  SourceMap sources;
  LoadedDocument document;

  Lines lines() const {
    Lines lines;
    for (const Diagnostic& each : document.diagnostics.items()) {
      const Position position = sources.position(each.range.file, each.range.begin);
      lines.push_back(
          sources.path(each.range.file) + ":" + std::to_string(position.line) + ":" +
          std::to_string(position.column) + " " + each.rule + " " + each.message);
    }
    return lines;
  }
  Lines errors() const {
    Lines all;
    for (const Diagnostic& each : document.diagnostics.items()) {
      if (each.severity == Severity::error) all.push_back(each.rule + ": " + each.message);
    }
    return all;
  }
};

Loaded load(const std::vector<std::string>& texts) {
  Loaded loaded;
  std::vector<FileId> files;
  for (const std::string& text : texts) {
    files.push_back(
        loaded.sources.add(std::string(1, static_cast<char>('a' + files.size())), text));
  }
  loaded.document = load_document(loaded.sources, files);
  return loaded;
}

const char* const kRing = R"(apiVersion: fabric/v1
name: pve-ring
defaults:                                  # merged under every node
  ssh: {user: root, identity_file: ~/.ssh/id_ed25519}
profiles:                                  # named partial nodes; a node lists them in `profiles: [..]`
  storage: {adapters: {cx5: {model: connectx-5-vpi, ports: 2}}}
nodes:
  pve[1-4]:                                # ClusterShell/Slurm node-set notation; values zip with it
    address: 192.0.2.[11-14]               # management address; default: the node's own name
    profiles: [storage]
networks:
  storage:
    mode: chain                            # infiniband | ethernet | chain | lag
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [{ring: [pve1, pve2, pve3, pve4]}]   # port 1 of each to port 2 of the next, closed
)";

TEST_CASE("the document of the contract loads without an error") {
  const Loaded loaded = load({kRing});
  CHECK(loaded.errors() == Lines{});
  CHECK(loaded.document.spec.name.value == "pve-ring");
  CHECK(loaded.document.spec.nodes.size() == 4);
  const NetworkSpec& storage = loaded.document.spec.networks.at("storage");
  CHECK(storage.cables.size() == 4);
  CHECK(address_lines(storage.ipv4).back() == "pve4/cx5/2 10.30.0.8");
}

TEST_CASE("a directory's files are one document, and what is given twice names both files") {
  CHECK(
      load({"apiVersion: fabric/v1\nname: f\nnodes: {a1: {adapters: {x: {model: connectx-5}}}}\n",
            "nodes: {a2: {adapters: {x: {model: connectx-5}}}}\n"})
          .errors() == Lines{});
  const Loaded twice = load({"apiVersion: fabric/v1\nname: f\nnodes: {a1: {}}\n", "name: g\n"});
  REQUIRE(twice.errors() == Lines{"duplicate-key: 'name' is given in two files"});
}

TEST_CASE("a shape error in one part never hides findings in another") {
  const Loaded loaded = load({R"(apiVersion: fabric/v1
name: f
nodes:
  a[1-2]: {adress: x, adapters: {c: {model: connectx-5}}}
  b: 7
networks:
  net: {mode: ethernet, mtu: [1], ipv4: {subnet: 10.0.0.0/24}, cables: [[a1/1, a3/1]]}
)"});
  const Lines errors = loaded.errors();
  const auto has = [&](const std::string& rule) {
    return std::any_of(errors.begin(), errors.end(), [&](const std::string& each) {
      return each.starts_with(rule + ":");
    });
  };
  CHECK(has("unknown-key"));
  CHECK(has("wrong-type"));
  CHECK(has("node-unknown"));
}

TEST_CASE("twenty mistakes in one file are twenty diagnostics, sorted by place") {
  const Loaded loaded = load({R"(apiVersion: fabric/v1
nmae: ring
name: ring
defaults:
  ssh: {user: root, port: 99999}
  adopt: no
profiles:
  storage: {adapters: {cx5: {model: connectx-5-vpi, ports: 2}}}
nodes:
  pve[1-4]:
    address: 192.0.2.[11-13]
    profiles: [storge]
  n[1-4]: {profiles: [storage], ssh: {prot: 22}}
  n3: {}
  x1: {profiles: [storage], adapters: {cx5: {firmware: {minimum: 16.20}}}}
  x2: {profiles: [storage], host: 0}
  x3: {adapters: {cx5: {model: conectx-5-vpi}}}
  x4: {adapters: {cx5: {}}}
  bad[4-1]: {}
networks:
  one:
    mode: ethernet
    cables: [[n1/1, nn2/1], [n1/2, n2/7], ["n[1-2]/1", "x[1-3]/1"]]
  two:
    mode: token-ring
  three:
    mode: ethernet
    mtu: large
    ipv4: {subnet: 10.1.2.3/24}
  four:
    ports: [x1/1]
    mode: ethernet
    ipv4: {subnet: 10.2.0.0/24, addresses: {x1: 10.3.0.1, x2: 10.2.0.2}}
)"});
  Lines found;
  for (const Diagnostic& each : loaded.document.diagnostics.items()) {
    const Position position = loaded.sources.position(each.range.file, each.range.begin);
    found.push_back(std::to_string(position.line) + " " + each.rule);
  }
  CHECK(
      found == Lines{
                   "2 unknown-key",
                   "5 out-of-range",
                   "6 ambiguous-scalar",
                   "11 bad-node-set",
                   "12 profile-unknown",
                   "13 unknown-key",
                   "14 duplicate-key",
                   "15 ambiguous-scalar",
                   "16 out-of-range",
                   "17 model-unknown",
                   "18 missing-key",
                   "19 bad-node-set",
                   "23 node-unknown",
                   "23 port-unknown",
                   "23 bad-node-set",
                   "25 out-of-range",
                   "28 wrong-type",
                   "29 wrong-type",
                   "33 address-outside-subnet",
                   "33 node-unknown"});
}

// Nodes written one by one, each with a cable and an address.
std::string large_document(std::size_t nodes) {
  std::string text =
      "apiVersion: fabric/v1\nname: f\ndefaults: {ssh: {user: root}}\n"
      "profiles: {p: {adapters: {c: {model: connectx-5}}}}\nnodes:\n  leaf: {platform: "
      "unmanaged}\n";
  std::string cables;
  for (std::size_t i = 1; i <= nodes; ++i) {
    const std::string number = std::to_string(i);
    text += "  n" + number + ": {profiles: [p], adapters: {c: {serial: S" + number + "}}}\n";
    cables += "    - [n" + number + "/1, leaf/" + number + "]\n";
  }
  return text +
         "networks:\n  net:\n    mode: ethernet\n    ipv4: {subnet: 10.0.0.0/8}\n    cables:\n" +
         cables;
}

std::string node_set_document(std::size_t nodes) {
  const std::string range = "[1-" + std::to_string(nodes) + "]";
  return "apiVersion: fabric/v1\nname: f\nnodes:\n  leaf: {platform: unmanaged}\n  n" + range +
         ": {address: 'h" + range + "', adapters: {c: {model: connectx-5, serial: 'S" + range +
         "'}}}\nnetworks: {net: {mode: ethernet, ipv4: {subnet: 10.0.0.0/8}, cables: [['n" + range +
         "/1', 'leaf/" + range + "']]}}\n";
}

double processor_seconds(const std::string& document) {
  const std::clock_t begin = std::clock();
  const Loaded loaded = load({document});
  const std::clock_t end = std::clock();
  CHECK(loaded.errors() == Lines{});
  return static_cast<double>(end - begin) / CLOCKS_PER_SEC;
}

// So many nodes, each with a line of its own; `more` stands behind the number of each.
std::string nodes_of_one_address(int count, const std::string& more) {
  std::string text = "apiVersion: fabric/v1\nname: many\nnodes:\n";
  for (int number = 0; number < count; ++number) {
    text += "  n" + std::to_string(number) + ": {address: 192.0.2.1" + more +
            ", adapters: {a: {model: connectx-5-vpi}}}\n";
  }
  return text;
}

TEST_CASE("of more errors than a document can have the first are told and the others counted") {
  for (const std::string more : {"", ", bogus: 1"}) {
    const Loaded loaded = load({nodes_of_one_address(5'000, more)});
    const auto& items = loaded.document.diagnostics.items();
    CHECK(items.size() > 2'000);
    CHECK(items.size() < 3'000);
    CHECK(std::any_of(items.begin(), items.end(), [](const Diagnostic& each) {
      return each.message.find("more findings are not shown") != std::string::npos;
    }));
    CHECK(loaded.document.diagnostics.has_errors());
  }
}

TEST_CASE("loading takes time in proportion to the document") {
  processor_seconds(large_document(10));  // the tables that are made once
  // Ten times the nodes: 10 if linear, 100 if quadratic.
  CHECK(processor_seconds(large_document(2000)) < 30 * processor_seconds(large_document(200)));
  CHECK(
      processor_seconds(node_set_document(3000)) < 30 * processor_seconds(node_set_document(300)));
}

// A document in which `name` is what the row names, "%" in its text.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kNamed{{
    {"node", "nodes: {%: {}}"},
    {"network", "nodes: {a: {}}\nnetworks: {%: {mode: ethernet}}"},
    {"VLAN", "nodes: {a: {}}\nnetworks: {n: {mode: ethernet, vlans: {%: {id: 7}}}}"},
    {"adapter", "nodes: {a: {adapters: {%: {model: connectx-5-vpi}}}}"},
    {"adapter of a profile",
     "profiles: {p: {adapters: {%: {model: connectx-5-vpi}}}}\nnodes: {a: {profiles: [p]}}"},
    {"profile", "profiles: {%: {}}\nnodes: {a: {}}"},
    {"label", "nodes: {a: {labels: {%: x}}}"},
    {"partition", "nodes: {a: {}}\nnetworks: {n: {mode: infiniband, partitions: {%: {pkey: 5}}}}"},
    {"bond", "nodes: {a: {}}\nnetworks: {n: {mode: lag, lag: {bond: %}}}"},
    {"interface", "nodes: {a: {adapters: {x: {model: connectx-5-vpi, names: {1: %}}}}}"},
    {"MLAG domain", "nodes: {a: {platform: cumulus, mlag: {domain: %, peer: a, ipl: [swp1]}}}"},
    {"port channel", "nodes: {a: {}}\nnetworks: {n: {mode: lag, lag: {port_channel: %}}}"},
}};

bool is_refused(std::string_view text, const std::string& written) {
  std::string body{text};
  body.replace(body.find('%'), 1, written);
  const Lines errors = load({"apiVersion: fabric/v1\nname: f\n" + body + "\n"}).errors();
  UNSCOPED_INFO(body);
  return std::any_of(errors.begin(), errors.end(), [](const std::string& each) {
    return each.starts_with("wrong-type: ") || each.starts_with("out-of-range: ") ||
           each.starts_with("bad-node-set: ");
  });
}

TEST_CASE("no name that a document gives is a line, a path or an option", "[document]") {
  const std::string longest(64, 'x');
  for (const std::string& hostile :
       {std::string{"a\\nExecStartPre=touch PWNED"},
        std::string{"x/../../modprobe.d/evil"},
        std::string{"../x"},
        std::string{".."},
        std::string{"-x"},
        std::string{"a b"},
        std::string{"a\\tb"},
        std::string{"a\\rb"},
        std::string{"a\\u0085b"},
        std::string{"a\\u2028b"},
        std::string{"a\\0b"},
        std::string{"a\\u202eb"},
        std::string{"a#b"},
        std::string{"a\\\"b"},
        std::string{"a'b"},
        std::string{"a$(id)b"},
        std::string{"a`id`"},
        std::string{"a%nb"},
        std::string{"a;b"},
        std::string{"a=b"},
        std::string{"a\\\\b"},
        std::string{"\u00e9"},
        std::string{""},
        longest + longest + longest + longest}) {
    for (const auto& [what, text] : kNamed) {
      INFO(what);
      // Lines of partitions.conf, which has no paths and no options.
      if (what == "partition" && (hostile == ".." || hostile == "-x")) continue;
      CHECK(is_refused(text, "\"" + hostile + "\""));
    }
  }
  for (const auto& [what, text] : kNamed) {
    INFO(what);
    CHECK_FALSE(is_refused(text, "Ab-1_c"));
  }
  // Addresses of resources are split at dots.
  CHECK(is_refused(kNamed[1].second, "\"a.b\""));
  CHECK(is_refused(kNamed[2].second, "\"a.b\""));
  CHECK(is_refused(kNamed[3].second, "\"a.b\""));
  CHECK(is_refused(kNamed[1].second, longest));
  CHECK_FALSE(is_refused(kNamed[1].second, longest.substr(1)));
  // After node sets are expanded.
  CHECK(is_refused(kNamed[1].second, "\"../ib[1-2]\""));
  CHECK_FALSE(is_refused(kNamed[1].second, "\"ib[1-2]\""));
}

}  // namespace
}  // namespace fabric
