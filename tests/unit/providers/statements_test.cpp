// SPDX-License-Identifier: Apache-2.0
// The table of the guide: how many keys of each format are in which class.
#include <map>
#include <span>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/document/shown_values.hpp"
#include "engine/model/opensm_options.hpp"
#include "providers/linux/lab/commands/rdma/opensm_defaults.hpp"

#include "tests/unit/providers/rows/ifcfg.hpp"
#include "tests/unit/providers/rows/interfaces.hpp"
#include "tests/unit/providers/rows/keyfile.hpp"
#include "tests/unit/providers/rows/netplan.hpp"
#include "tests/unit/providers/rows/networkd.hpp"

namespace fabric::providers {
namespace {

using namespace test;

std::string counted(const char* format, std::span<const Row> rows) {
  std::map<std::string, std::size_t> best;
  for (const Row& row : rows) {
    const std::string_view said = row.expected;
    const std::size_t at = said.starts_with("said") || said.starts_with("otherwise") ? 0
                           : said.starts_with("sayable")                             ? 1
                                                                                     : 2;
    std::size_t& known = best.try_emplace(row.key, at).first->second;
    known = std::min(known, at);
  }
  std::size_t counts[3] = {};
  for (const auto& [key, at] : best)
    ++counts[at];
  return fmt::format(
      "| {} | {} | {} | {} | {} |\n", format, best.size(), counts[0], counts[1], counts[2]);
}

std::string counted_options() {
  std::size_t counts[3] = {};
  std::size_t all = 0;
  for (const std::string_view line : split_lines(lab::commands::kOpensmDefaults)) {
    const OpensmOptionClass is = opensm_option_rule(line.substr(0, line.find(' '))).is;
    ++counts[is == OpensmOptionClass::decided ? 0 : is == OpensmOptionClass::settable ? 1 : 2];
    ++all;
  }
  return fmt::format("| `opensm` | {} | {} | {} | {} |\n", all, counts[0], counts[1], counts[2]);
}

// Documents of the resources that the rows are about.
std::string document_of(const Row& row) {
  const bool primary = std::string_view{row.expected}.find("primary") != std::string_view::npos;
  const std::string lag = fmt::format(
      "mode: lag, lag: {{bond: bond0, policy: {}}}", primary ? "active-backup" : "802.3ad");
  const bool address = std::string_view{row.expected}.find("subnet") != std::string_view::npos;
  return fmt::format(
      "apiVersion: fabric/v1\nname: x\nnodes:\n"
      "  pve1: {{adapters: {{cx5: {{model: connectx-5-en}}}}}}\n"
      "  pve2: {{adapters: {{cx5: {{model: connectx-5-en}}}}}}\n"
      "networks:\n  storage: {{{}, mtu: 9000, {}cables: [{}]{}}}\n",
      row.of == Of::port ? "mode: ethernet" : lag,
      row.of == Of::bond && address ? "" : "ipv4: {subnet: 10.30.0.0/24}, ",
      row.of == Of::port ? "[pve1/1, pve2/1]" : "[pve1/1, pve2/1], [pve1/2, pve2/2]",
      row.of == Of::vlan ? ", vlans: {backup: {id: 100, ipv4: {subnet: 10.100.0.0/24}}}" : "");
}

// The errors of a document with more YAML.
std::string errors_of(const std::string& document, const std::string& yaml) {
  SourceMap sources;
  const FileId base = sources.add("base", document);
  const LoadedDocument loaded = load_document(sources, {base, sources.add("more", yaml)});
  std::string errors;
  for (const Diagnostic& each : loaded.diagnostics.items())
    if (each.severity == Severity::error) errors += each.rule + ": " + each.message + "\n";
  return errors;
}

FabricSpec spec_of(const std::string& document) {
  SourceMap sources;
  return load_document(sources, {sources.add("base", document)}).spec;
}

TEST_CASE("what is shown as the YAML of a statement validates", "[providers]") {
  std::size_t seen = 0;
  const std::span<const Row> formats[] = {
      kInterfacesRows, kNetworkdRows, kNetplanRows, kKeyfileRows, kIfcfgRows};
  for (const std::span<const Row> rows : formats) {
    for (const Row& row : rows) {
      constexpr std::string_view kStart = "sayable: ";
      if (!std::string_view{row.expected}.starts_with(kStart)) continue;
      ++seen;
      const std::string errors = errors_of(document_of(row), row.expected + kStart.size());
      INFO(row.key << " " << row.value << "\n" << row.expected << "\n" << document_of(row));
      const std::set<std::string> refused =
          refused_values(spec_of(document_of(row)), {row.expected + kStart.size()});
      CHECK(errors.empty());
      CHECK(refused.empty());
    }
  }
  CHECK(seen > 30);
}

TEST_CASE("a number is shown as YAML as far as a document takes it", "[providers]") {
  const std::string nm = "[connection]\nid=x\ntype=ethernet\ninterface-name=enp1s0f0np0\n";
  const std::string netplan = "network:\n  ethernets:\n    enp1s0f0np0:\n      ";
  const std::string keyfile = "/etc/NetworkManager/system-connections/x.nmconnection";
  const struct {
    Format format;
    std::string key, text;  // a number follows
  } rows[] = {
      {{ifupdown_backend(), "/etc/network/interfaces"},
       "mtu",
       "iface enp1s0f0np0 inet manual\n mtu "},
      {{networkd_backend(), "/etc/systemd/network/x.network"},
       "Link.MTUBytes",
       "[Match]\nName=enp1s0f0np0\n[Link]\nMTUBytes="},
      {{netplan_backend(), "/etc/netplan/x.yaml"}, "mtu", netplan + "mtu: "},
      {{keyfile_backend(), keyfile}, "ethernet.mtu", nm + "[ethernet]\nmtu="},
      {{ifcfg_backend(), "/etc/sysconfig/network-scripts/ifcfg-x"},
       "MTU",
       "DEVICE=enp1s0f0np0\nMTU="},
      {{networkd_backend(), "/etc/systemd/network/x.network"},
       "Link.SR-IOVVirtualFunctions",
       "[Match]\nName=enp1s0f0np0\n[Link]\nSR-IOVVirtualFunctions="},
      {{netplan_backend(), "/etc/netplan/x.yaml"},
       "virtual-function-count",
       netplan + "virtual-function-count: "},
      {{keyfile_backend(), keyfile}, "sriov.total-vfs", nm + "[sriov]\ntotal-vfs="},
  };
  const std::string document =
      "apiVersion: fabric/v1\nname: x\nnodes:\n"
      "  pve1: {adapters: {cx5: {model: connectx-5-en}}}\n"
      "  pve2: {adapters: {cx5: {model: connectx-5-en}}}\n"
      "networks:\n  storage: {mode: ethernet, %cables: [[pve1/1, pve2/1]]}\n";
  for (const auto& row : rows) {
    std::size_t shown = 0;
    for (const char* number :
         {"1", "67", "68", "126", "127", "1279", "1280", "9978", "9979", "65535"}) {
      for (const bool ipv6 : {false, true}) {
        Resource port = resource(
            "pve1/interface/cx5.1",
            adapter_binding({{"port", 1}, {"network", "storage"}, {"adopt", true}}),
            {{"addresses", List{ipv6 ? "fd30::1/64" : "10.30.0.1/24"}}});
        std::string base = document;
        base.replace(
            base.find('%'),
            1,
            ipv6 ? "ipv6: {subnet: \"fd30::/64\"}, " : "ipv4: {subnet: 10.30.0.0/24}, ");
        for (const Statement& each : statements(row.format, port, row.text + number + "\n")) {
          if (each.key != row.key) continue;
          INFO(row.text << number << "\n" << each.instead);
          const bool functions = row.key.find("irtual") != std::string::npos ||
                                 row.key.find("vfs") != std::string::npos;
          const std::string yaml =
              functions
                  ? "nodes: {pve1: {adapters: {cx5: {sriov: {vfs: " + std::string{number} + "}}}}}"
                  : "networks: {storage: {mtu: " + std::string{number} + "}}";
          REQUIRE(each.instead == yaml);
          const bool taken = refused_values(spec_of(base), {yaml}).empty();
          CHECK(taken == errors_of(base, yaml).empty());
          if (taken) ++shown;
        }
      }
    }
    CHECK(shown > 5);
  }
}

TEST_CASE("the guide has how many keys of each format are in which class", "[providers]") {
  const std::string table =
      counted("`interfaces`", kInterfacesRows) + counted("`networkd`", kNetworkdRows) +
      counted("`netplan`", kNetplanRows) + counted("`keyfile`", kKeyfileRows) +
      counted("`ifcfg`", kIfcfgRows) + counted_options();
  INFO(table);
  const std::string guide = remote::test::read_text(
      std::string{FABRIC_TEST_DATA} + "/../../../docs/adopting-a-fabric.md");
  CHECK(guide.find(table) != std::string::npos);
}

}  // namespace
}  // namespace fabric::providers
