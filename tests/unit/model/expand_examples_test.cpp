// SPDX-License-Identifier: Apache-2.0
// Every example: all of it becomes resources, or is named as what does not.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/unit/model/expanded.hpp"

namespace fabric {
namespace {

using test::expand_text;
using test::Expanded;
using test::Lines;

Expanded expand_example(const std::string& name) {
  const auto path = std::filesystem::path{FABRIC_SOURCE_DIR} / "examples" / name / "fabric.yaml";
  std::ifstream file{path};
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return expand_text(text.str());
}

// "adapter 4, link 4": how many of each kind.
std::string counts(const Expanded& expanded) {
  std::map<std::string, std::size_t> kinds;
  for (const Resource& each : expanded.resources)
    ++kinds[each.address.kind];
  std::string text;
  for (const auto& [kind, count] : kinds)
    text += (text.empty() ? "" : ", ") + kind + " " + std::to_string(count);
  return text;
}

Lines refusals(const Expanded& expanded) {
  Diagnostics sorted = expanded.refused;
  sorted.sort();
  Lines lines;
  for (const Diagnostic& each : sorted.items()) {
    lines.push_back(std::to_string(expanded.line(each.range)) + ": " + each.message);
  }
  return lines;
}

struct Example {
  std::string name, kinds;
  Lines features, refused;
};

const std::vector<Example>& examples() {
  static const std::vector<Example> all{
      {"cx3-pair-bond",
       "adapter 2, bond 2, carrier 4, interface 4, link 2, link_name 4, package 6, settings 2",
       {"9: `packages`", "17: mode lag"},
       {}},
      {"cx3-pair-ethernet",
       "adapter 2, carrier 2, interface 2, link 1, link_name 4, package 4, settings 2, sysctl 2",
       {"9: `packages`",
        "11: `sysctl` net.ipv4.tcp_timestamps",
        "12: `sysctl` net.core.netdev_max_backlog",
        "13: `sysctl` net.core.rmem_max",
        "14: `sysctl` net.core.wmem_max",
        "15: `sysctl` net.ipv4.tcp_rmem",
        "16: `sysctl` net.ipv4.tcp_wmem"},
       {}},
      {"cx3-pair-infiniband",
       "adapter 2, carrier 2, interface 2, link 1, package 6, settings 2, subnet_manager 2",
       {"9: `packages`", "21: `subnet_managers`", "22: `subnet_managers`", "23: `ipoib`"},
       {}},
      {"esx-classic",
       "adapter 1, carrier 1, interface 1, package 2, settings 1, subnet_manager 1",
       {"19: `packages`",
        "21: setting the link type of a ConnectX IB DDR",
        "31: `subnet_managers`",
        "37: `ipoib`"},
       {"25: network fabric on esx[1-2]: fabric makes no virtual switches of ESX; set there by "
        "hand: MTU 4092, VLANs",
        "42: network guests on esx[1-2]: fabric makes no virtual switches of ESX; set there by "
        "hand: MTU 9000"}},
      {"fat-tree",
       "adapter 648, carrier 648, interface 648, package 4, settings 648, subnet_manager 2",
       {"13: `packages`", "27: `subnet_managers`", "28: `subnet_managers`", "30: `ipoib`"},
       {}},
      {"mesh-ceph",
       "adapter 3, carrier 6, forwarding 6, interface 6, link 3",
       {"21: `transit: static`"},
       {}},
      {"nvos-subnet",
       "adapter 3, carrier 3, interface 6, os 1, package 5, settings 3, subnet_manager 2",
       {"8: `network_backend`",
        "12: `packages`",
        "13: `packages`",
        "14: `os`",
        "18: mode infiniband at this switch",
        "20: `subnet_managers`",
        "22: `ipoib`"},
       {}},
      {"ring", "adapter 4, carrier 8, interface 8, link 4, settings 4, sysctl 4", {}, {}},
      {"ring-cx7",
       "adapter 4, carrier 8, forwarding 8, interface 8, link 4, sysctl 4",
       {"21: `transit: static`"},
       {}},
      {"roce-lag",
       "adapter 6, bond 6, carrier 12, interface 12, os 6, settings 6, software 6",
       {"9: `software`", "10: `os`", "25: mode lag", "32: mode lag", "39: mode lag"},
       {}},
      {"roce-lag-cumulus",
       "adapter 6, bond 12, carrier 12, interface 16, mlag 2, os 2, vlan 4",
       {"11: `network_backend`",
        "17: `os`",
        "26: `mlag`",
        "30: `mlag`",
        "34: mode lag",
        "34: mode lag at this switch",
        "42: mode lag",
        "42: mode lag at this switch",
        "50: mode lag",
        "50: mode lag at this switch",
        "55: `vlans`",
        "55: `vlans` at this switch"},
       {}},
      {"vsphere8-sriov", "", {}, {}},
  };
  return all;
}

TEST_CASE("every example becomes resources, what providers may lack by name and line", "[model]") {
  for (const Example& example : examples()) {
    CAPTURE(example.name);
    const Expanded expanded = expand_example(example.name);
    CHECK(counts(expanded) == example.kinds);
    CHECK(expanded.features() == example.features);
    CHECK(refusals(expanded) == example.refused);
  }
}

TEST_CASE("no example is left out", "[model]") {
  Lines known, found;
  for (const Example& example : examples())
    known.push_back(example.name);
  const auto folder = std::filesystem::path{FABRIC_SOURCE_DIR} / "examples";
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    if (std::filesystem::exists(entry.path() / "fabric.yaml"))
      found.push_back(entry.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  CHECK(found == known);
}

TEST_CASE("every edge of every example leads to a resource that is there", "[model]") {
  for (const Example& example : examples()) {
    CAPTURE(example.name);
    const Expanded expanded = expand_example(example.name);
    std::vector<ResourceAddress> all;
    for (const Resource& each : expanded.resources)
      all.push_back(each.address);
    CHECK(std::is_sorted(all.begin(), all.end()));
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
    for (const Resource& each : expanded.resources) {
      CAPTURE(each.address.str());
      std::vector<ResourceAddress> edges = each.after;
      edges.insert(edges.end(), each.beneath.begin(), each.beneath.end());
      if (each.part_of) edges.push_back(*each.part_of);
      for (const ResourceAddress& edge : edges) {
        CAPTURE(edge.str());
        CHECK(std::binary_search(all.begin(), all.end(), edge));
      }
    }
  }
}

}  // namespace
}  // namespace fabric
