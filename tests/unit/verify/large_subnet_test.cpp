// SPDX-License-Identifier: Apache-2.0
// A subnet of 2,000 adapters that call themselves in every form that subnets show, with cables that
// were moved, pulled and added: every one of those is named, and none besides.
#include <map>
#include <set>

#include "engine/base/random.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/leaf_pair.hpp"

namespace fabric::verify::test {
namespace {

constexpr int kLeaves = 50;
constexpr int kPorts = 40;  // of a leaf, to hosts
constexpr int kHosts = kLeaves * kPorts / 2;
constexpr int kForms = 8;
constexpr int kFactory = 7;  // the form that names nobody

// Two adapters a host. What is known of them in the document, and what they call themselves.
struct Names {
  std::string first, second;
};

std::string host_name(int host) {
  return "c" + std::to_string(host);
}

Names declared(int form) {
  if (form == 3) return {"rail0", "rail1"};
  return {"mlx5_0", "mlx5_1"};
}

Names told(int host, int form) {
  const std::string name = host_name(host);
  switch (form) {
    case 0:
      return {name + " mlx5_0", name + " mlx5_1"};
    case 1:
      return {"C" + std::to_string(host) + " HCA-1", "C" + std::to_string(host) + " HCA-2"};
    case 2:
      return {name + ".example.org mlx5_0 ", name + ".example.org mlx5_1 "};
    case 3:
      return {name + " ibp11s0f0", name + " ibp213s0f0"};
    case 4:
      return {name, name};
    case 5:
      return {name + ".mlx5_0", name + ".mlx5_1"};
    case 6:
      return {name + " HCA-1 (Topspin HCA)", name + " HCA-2 (Topspin HCA)"};
    default:
      return {
          "MT4123 ConnectX6   Mellanox Technologies", "MT4123 ConnectX6   Mellanox Technologies"};
  }
}

int form_of(int host) {
  return host % kForms;
}

std::uint64_t guid_of(int cable) {
  return 0x0c42'a100'0000'0000 + static_cast<std::uint64_t>(cable) * 0x10;
}

// Cable k is that of adapter k % 2 of host k / 2, at port k % kPorts of leaf k / kPorts.
FabricSpec document(bool with_guids) {
  FabricSpec spec = leaf_pair();
  spec.nodes.clear();
  NetworkSpec& network = spec.networks.at("compute");
  network.cables.clear();
  for (int leaf = 1; leaf <= kLeaves; ++leaf) {
    NodeSpec node = bare_node(named("leaf" + std::to_string(leaf)));
    node.platform.value = Platform::unmanaged;
    spec.nodes.emplace(node.name, node);
  }
  for (int host = 0; host < kHosts; ++host) {
    NodeSpec node = bare_node(named(host_name(host)));
    node.platform.value = Platform::linux;
    const Names names = declared(form_of(host));
    for (int which : {0, 1}) {
      AdapterSpec adapter;
      adapter.name = which == 0 ? names.first : names.second;
      adapter.ports.value = 1;
      if (form_of(host) == 3) adapter.selector.pci.value = which == 0 ? "0b:00.0" : "d5:00.0";
      const int cable = 2 * host + which;
      if (with_guids) adapter.selector.node_guid.value = Guid{guid_of(cable)}.str();
      node.adapters.edit().push_back(adapter);
      network.cables.push_back(
          {{{node.name, adapter.name, "1"}, {}},
           {leaf_port(1 + cable / kPorts, 1 + cable % kPorts), {}},
           {},
           {},
           {},
           {},
           {}});
    }
    spec.nodes.emplace(node.name, node);
  }
  return spec;
}

struct Seeded {
  Subnet subnet;
  std::map<int, CableState> wrong;  // by cable; the others are as declared
  std::size_t extra = 0;
};

Seeded seeded_subnet() {
  Seeded seeded;
  std::vector<IbNode>& nodes = seeded.subnet.topology.nodes;
  nodes.clear();
  for (int leaf = 0; leaf < kLeaves; ++leaf)
    seeded.subnet.add(
        IbNodeType::switch_node,
        "MF0;leaf" + std::to_string(leaf + 1) + ":MQM8700/U1",
        0xaa00 + static_cast<std::uint64_t>(leaf),
        kPorts + 1);
  std::vector<int> place(2 * kHosts);  // by adapter, the cable at whose place it is
  for (int each = 0; each < 2 * kHosts; ++each)
    place[static_cast<std::size_t>(each)] = each;
  Random random{20'261'127};
  const auto pick = [&] {
    for (;;) {
      const int cable = static_cast<int>(random.below(2 * kHosts));
      if (!seeded.wrong.contains(cable)) return cable;
    }
  };
  for (int pair = 0; pair < 20; ++pair) {
    int a = pick();
    int b = pick();
    // Two that name nobody look the same in each other's place; so do two of one host by another
    // scheme than the document's.
    while (form_of(a / 2) == kFactory || form_of(b / 2) == kFactory || a / 2 == b / 2) {
      a = pick();
      b = pick();
    }
    std::swap(place[static_cast<std::size_t>(a)], place[static_cast<std::size_t>(b)]);
    seeded.wrong[a] = seeded.wrong[b] = CableState::mis_wired;
  }
  for (int pulled = 0; pulled < 25; ++pulled)
    seeded.wrong[pick()] = CableState::missing;
  for (int each = 0; each < 2 * kHosts; ++each) {
    const Names names = told(each / 2, form_of(each / 2));
    const std::size_t node = seeded.subnet.add(
        IbNodeType::channel_adapter, each % 2 == 0 ? names.first : names.second, guid_of(each), 1);
    const auto wrong = seeded.wrong.find(each);
    if (wrong != seeded.wrong.end() && wrong->second == CableState::missing) {
      seeded.subnet.remove(node, 1);
      continue;
    }
    const int at = place[static_cast<std::size_t>(each)];
    seeded.subnet.put(node, 1, static_cast<std::size_t>(at / kPorts), 1 + at % kPorts);
    seeded.subnet.put(static_cast<std::size_t>(at / kPorts), 1 + at % kPorts, node, 1);
  }
  for (int leaf : {3, 17, 41}) {
    const std::size_t stranger = seeded.subnet.add(
        IbNodeType::channel_adapter,
        "x" + std::to_string(leaf) + " mlx5_0",
        0xee00 + static_cast<std::uint64_t>(leaf) * 0x10,
        1);
    seeded.subnet.put(stranger, 1, static_cast<std::size_t>(leaf), kPorts + 1);
    seeded.subnet.put(static_cast<std::size_t>(leaf), kPorts + 1, stranger, 1);
    ++seeded.extra;
  }
  return seeded;
}

std::size_t count_unlike(const Report& report, const Seeded& seeded, const auto& may_be_unknown) {
  std::size_t unlike = 0;
  for (std::size_t cable = 0; cable < report.cables.size(); ++cable) {
    const auto wrong = seeded.wrong.find(static_cast<int>(cable));
    const CableState expected = wrong == seeded.wrong.end() ? CableState::ok : wrong->second;
    const CableState found = report.cables[cable].state;
    if (found == expected) continue;
    if (found == CableState::no_data && may_be_unknown(static_cast<int>(cable))) continue;
    UNSCOPED_INFO(
        report.cables[cable].a.str() << ": " << to_string(found) << ", expected "
                                     << to_string(expected) << ": " << report.cables[cable].detail);
    ++unlike;
  }
  return unlike;
}

TEST_CASE("of 2,000 adapters every wrong cable is named and none invented", "[verify][wire]") {
  const Seeded seeded = seeded_subnet();
  REQUIRE(seeded.wrong.size() == 65);
  const WireEvidence seen = seeded.subnet.seen();
  SECTION("by GUIDs") {
    const Report report = judge_wire(document(true), seen);
    REQUIRE(report.cables.size() == 2 * kHosts);
    CHECK(count_unlike(report, seeded, [](int) { return false; }) == 0);
    CHECK(report.unexpected.size() == seeded.extra);
  }
  SECTION("by nothing but what they call themselves") {
    const Report report = judge_wire(document(false), seen);
    REQUIRE(report.cables.size() == 2 * kHosts);
    // Those that name nobody can't be told from each other, and are not said to be wrong.
    CHECK(count_unlike(report, seeded, [](int cable) {
            return form_of(cable / 2) == kFactory;
          }) == 0);
    CHECK(report.unexpected.size() == seeded.extra);
  }
}

}  // namespace
}  // namespace fabric::verify::test
