// SPDX-License-Identifier: Apache-2.0
// What expansion makes of every document of the examples and of the golden tests is what the rows
// of the kinds say, and each name in a row is made somewhere.
#include "engine/model/resource_kinds.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "engine/model/document/load.hpp"
#include "engine/model/expand/expand.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

using Row = const ResourceKind*;

// What rows and resources have, by row.
struct Seen {
  std::map<Row, std::set<std::string, std::less<>>> bindings, attributes;
  std::set<std::string> undeclared;

  void add(const Resource& resource) {
    const Row row = find_resource_kind(resource.address.kind, resource.platform);
    const std::string of = std::string{resource.address.kind} +
                           (is_switch(resource.platform) ? " of a switch: " : ": ");
    if (row == nullptr) {
      undeclared.insert(of + "no row");
      return;
    }
    const auto declared = key_names(row->binding);
    for (const auto& [key, value] : *resource.binding) {
      if (key == "observe") continue;
      bindings[row].insert(std::string{key});
      if (!declared.contains(key)) undeclared.insert(of + "binding " + std::string{key});
    }
    const auto named = key_names(row->attributes);
    for (const auto& [name, value] : *resource.desired) {
      attributes[row].insert(name);
      if (!named.contains(name) && !named.contains("*"))
        undeclared.insert(of + "attribute " + name);
    }
    const auto features = key_names(row->features);
    for (const Feature& each : resource.features) {
      const bool is_declared = each.name.empty() || resource.desired.contains(each.name) ||
                               named.contains(each.name) || features.contains(each.name) ||
                               features.contains(each.name.substr(0, each.name.find('.')) + ".*");
      if (!is_declared) undeclared.insert(of + "feature " + each.name);
    }
  }
};

// Nothing of a document that has a mistake.
void add_all_of(std::string text, Seen& seen) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", std::move(text));
  LoadedDocument loaded = load_document(sources, {file});
  if (loaded.diagnostics.has_errors()) return;
  for (const PlatformTraits& each : platforms()) {
    if (each.is_managed) loaded.spec.reached.insert(each.platform);
  }
  Diagnostics refused;
  for (const Resource& each : expand(loaded.spec, refused))
    seen.add(each);
}

// Keys that no other document of the tests has.
constexpr const char* kRareKeys = R"(apiVersion: fabric/v1
name: rare
nodes:
  n[1-2]:
    adapters:
      cx: {model: connectx-5, serial: "MT184[1,2]X0000"}
      ib: {model: connectx-6, ports: 1}
  esx1:
    platform: esxi
    adapters: {cx: {model: connectx-5, ports: 1, sriov: {passthrough: true}},
               other: {model: connectx-6-dx, ports: 1, pci: "0000:af:00.0", sriov: {vfs: 4}}}
  pve2: {adapters: {cx: {model: connectx-5, ports: 1}}}
  pve1: {adopt: true, adapters: {cx: {model: connectx-5, sriov: {vfs: 2}}}}
  plain: {platform: unmanaged}
  leaf1: {platform: mlnx-os, mlag: {domain: d, peer: leaf2, ipl: [31], vip: 192.0.2.82/24, vlan: 4000, address: 10.0.0.1/30}}
  leaf2: {platform: mlnx-os, mlag: {domain: d, peer: leaf1, ipl: [31], vip: 192.0.2.82/24, vlan: 4000, address: 10.0.0.2/30}}
  spine: {platform: unmanaged}
networks:
  bonded:
    mode: lag
    lag: {policy: 802.3ad, hash_policy: layer3+4, min_links: 1, ad_select: bandwidth, bond: bond1}
    cables: [["n1/cx/1", leaf1/1], ["n1/cx/2", leaf2/1]]
    ipv4: {subnet: 10.1.0.0/24}
    ipv6: {subnet: "fd00:1::/64", gateway: "fd00:1::fe"}
  backup:
    mode: lag
    lag: {policy: active-backup, primary: cx/1}
    cables: [["n2/cx/1", plain/1], ["n2/cx/2", plain/2]]
  ib:
    mode: infiniband
    cables: [["n[1-2]/ib/1", "spine/[1-2]"]]
    subnet_managers: [{node: n1}]
    subnet_manager: {subnet_prefix: "0xfe80000000000001"}
  guests: {mode: ethernet, ports: [esx1/cx/1]}
  named:
    mode: ethernet
    restore: true
    cables: [{ends: [pve1/cx/1, pve2/cx/1], label: A-1}]
)";

// Nothing is said of a document that has a mistake, so this one must have none.
void add_rare_keys(Seen& seen) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", kRareKeys);
  LoadedDocument loaded = load_document(sources, {file});
  loaded.spec.reached = {Platform::linux, Platform::esxi, Platform::mlnx_os};
  for (const Diagnostic& each : loaded.diagnostics.items()) {
    if (each.severity == Severity::error) FAIL_CHECK(each.rule << ": " << each.message);
  }
  add_all_of(kRareKeys, seen);
  Diagnostics refused;
  const std::vector<Resource> resources = expand(loaded.spec, refused);
  for (const Resource& each : cables_to_connect(loaded.spec, resources, Duration{1}))
    seen.add(each);
}

Seen seen_everywhere() {
  Seen seen;
  add_rare_keys(seen);
  for (const char* folder : {"examples", "tests/golden", "tests/facts"}) {
    const auto top = std::filesystem::path{FABRIC_SOURCE_DIR} / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{top}) {
      if (entry.path().extension() != ".yaml" || entry.is_symlink()) continue;
      std::ifstream file{entry.path()};
      std::ostringstream text;
      text << file.rdbuf();
      add_all_of(text.str(), seen);
    }
  }
  return seen;
}

TEST_CASE("the rows of the kinds are what expansion makes", "[model]") {
  const Seen seen = seen_everywhere();
  CHECK(seen.undeclared == std::set<std::string>{});
  // A name means the same in all kinds that have it: of a group, some kind of some document has it.
  std::set<std::string, std::less<>> made;
  for (const auto* of_rows : {&seen.bindings, &seen.attributes}) {
    for (const auto& [row, names] : *of_rows)
      made.insert(names.begin(), names.end());
  }
  const auto from_facts = key_names("FACTS");
  std::set<std::string> never;
  for (const ResourceKind& row : resource_kinds()) {
    for (const std::string_view words : {row.binding, row.attributes}) {
      for (const std::string_view name : key_names(words)) {
        if (name != "*" && !from_facts.contains(name) && !made.contains(name))
          never.insert(std::string{row.kind} + ": " + std::string{name});
      }
    }
  }
  CHECK(never == std::set<std::string>{});
}

}  // namespace
}  // namespace fabric
