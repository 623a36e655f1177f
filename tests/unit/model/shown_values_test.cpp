// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/shown_values.hpp"

#include "engine/model/document/load.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

// Two hosts of one network at a switch.
std::string document(
    const std::string& card, const std::string& of_switch, const std::string& network) {
  return "apiVersion: fabric/v1\nname: x\nnodes:\n"
         "  n1: {adapters: {hca: {" +
         card + "}}}\n  n2: {adapters: {hca: {" + card + "}}}\n  sw: {" + of_switch +
         "}\nnetworks:\n  a: {" + network + "}\n";
}

std::string errors_of(const std::string& base, const std::string& more = "{}") {
  SourceMap sources;
  const FileId first = sources.add("base", base);
  const LoadedDocument loaded = load_document(sources, {first, sources.add("more", more)});
  std::string errors;
  for (const Diagnostic& each : loaded.diagnostics.items())
    if (each.severity == Severity::error) errors += each.rule + ": " + each.message + "\n";
  return errors;
}

TEST_CASE("values that fabric shows are refused where validate refuses them", "[model]") {
  const std::string at_leaf = R"(cables: [[n1/1, sw/1], [n2/1, sw/2]])";
  const std::string two = R"(cables: [["n1/[1-2]", "sw/[1-2]"], ["n2/[1-2]", "sw/[3-4]"]])";
  const std::string ethernet = "mode: ethernet, ipv4: {subnet: 10.1.0.0/24}, " + at_leaf;
  const std::string infiniband =
      "mode: infiniband, subnet_managers: [{node: n1, port: 1}], "
      "partitions: {p: {pkey: 5, ipoib: true, members: {ALL: full}}}, "
      "vlans: {v: {partition: p, ipv4: {subnet: 10.2.0.0/24}}}, " +
      at_leaf;
  const std::string lag = "mode: lag, ipv4: {subnet: 10.1.0.0/24}, lag: {policy: 802.3ad}, " + two;
  const std::string unmanaged = "platform: unmanaged";
  const std::string cx6 = "model: connectx-6-vpi", cx3 = "model: connectx-3-vpi";
  const std::string documents[] = {
      document(cx6, unmanaged, ethernet),
      document(cx6, "platform: cumulus", ethernet),
      document(cx6, "platform: mlnx-os", ethernet),
      document(cx6, unmanaged, ethernet + ", ipv6: {subnet: \"fd00::/64\"}"),
      document(cx3, unmanaged, ethernet),
      document(cx6, unmanaged, infiniband),
      document(cx3, unmanaged, infiniband),
      document(cx6, unmanaged, infiniband + ", mtu: 4096"),
      document(cx3, unmanaged, infiniband + ", mtu: 4096"),
      document(cx6 + ", firmware: {params: {NUM_OF_VFS: 64}}", unmanaged, ethernet),
      document(cx6, "platform: cumulus", lag),
      document(cx6, unmanaged, lag)};
  std::vector<std::string> all;
  for (const char* number :
       {"1",
        "67",
        "68",
        "126",
        "127",
        "1279",
        "1280",
        "2044",
        "2045",
        "4092",
        "4093",
        "9216",
        "9217",
        "9978",
        "9979",
        "65520",
        "65521"}) {
    for (const char* yaml :
         {"networks: {a: {mtu: %}}",
          "networks: {a: {ipoib: {mtu: %}}}",
          "nodes: {n1: {adapters: {hca: {sriov: {vfs: %}}}}}",
          "networks: {a: {lag: {min_links: %}}}",
          "networks: {a: {lag: {updelay: %}}}"}) {
      std::string text = yaml;
      all.push_back(text.replace(text.find('%'), 1, number));
    }
  }
  for (const char* yaml :
       {"networks: {a: {ipoib: {mode: connected}}}",
        "networks: {a: {ipoib: {mode: datagram}}}",
        "networks: {a: {lag: {lacp_rate: fast}}}",
        "networks: {a: {lag: {ad_select: bandwidth}}}",
        "networks: {a: {lag: {hash_policy: layer3+4}}}",
        "networks: {a: {lag: {primary: 1}}}",
        "networks: {a: {lag: {primary: 3}}}"})
    all.emplace_back(yaml);
  std::size_t refused = 0, taken = 0;
  for (const std::string& base : documents) {
    INFO(base);
    REQUIRE(errors_of(base).empty());
    SourceMap sources;
    const FabricSpec spec = load_document(sources, {sources.add("base", base)}).spec;
    std::vector<std::string> shown;
    std::set<std::string> expected;
    for (const std::string& yaml : all) {
      const bool is_ours = base.find("mode: lag") != std::string::npos
                               ? yaml.find("ipoib") == std::string::npos
                               : yaml.find("lag:") == std::string::npos;
      const bool infiniband_key = yaml.find("ipoib") != std::string::npos;
      const bool other_mtu = yaml.find("a: {mtu") != std::string::npos;
      if (!is_ours ||
          (base.find("mode: infiniband") == std::string::npos ? infiniband_key : other_mtu))
        continue;
      shown.push_back(yaml);
      const bool fits = errors_of(base, yaml).empty();
      if (!fits) expected.insert(yaml);
      ++(fits ? taken : refused);
    }
    for (const std::string& yaml : shown) {
      INFO(yaml << "\n" << errors_of(base, yaml));
      CHECK(refused_values(spec, {yaml}).contains(yaml) == expected.contains(yaml));
    }
    CHECK(refused_values(spec, shown) == expected);
  }
  CHECK(refused > 80);
  CHECK(taken > 80);
}

}  // namespace
}  // namespace fabric
