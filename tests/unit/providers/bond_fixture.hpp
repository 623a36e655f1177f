// SPDX-License-Identifier: Apache-2.0
// A node whose two ports make one bond, for the tests of the bond provider and of VLANs on a bond.
// In a namespace of its own, for interface_fixture.hpp has a Node, too.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers::test::bonding {

inline const Provider kBonds = link_provider(kinds::kBond);
inline const Provider kInterfaces = link_provider(kinds::kInterface);
inline const Provider kVlans = link_provider(kinds::kVlan);

inline constexpr const char* kNetworkd = "tool networkctl\nunit systemd-networkd active\n";
inline constexpr const char* kIfupdown =
    "file /etc/network/interfaces\ntool ifup\nfile /etc/network/if-pre-up.d/ifenslave\n";
inline constexpr const char* kSourced =
    "/etc/network/interfaces:source /etc/network/interfaces.d/*\n";

inline std::string as_files(const std::string& path, const std::string& content) {
  std::string text;
  for (const auto line : split_lines(content))
    text += path + ":" + std::string{line} + "\n";
  return text;
}

// What the kernel shows of one interface, as the probe "link-details" prints it.
inline std::string link(const std::string& name, const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files)
    text += "/sys/class/net/" + name + "/" + file + "\n";
  return text;
}

inline std::string bond0(const std::string& mode, const std::string& slaves, int miimon = 100) {
  return link(
      "bond0",
      {"mtu:9000",
       "type:1",
       "bonding/mode:" + mode,
       "bonding/slaves:" + slaves,
       "bonding/miimon:" + std::to_string(miimon),
       "bonding/xmit_hash_policy:layer3+4 1",
       "bonding/lacp_rate:slow 0"});
}

inline constexpr const char* kBothSlaves = "enp1s0f0np0 enp1s0f1np1";

struct Node {
  std::string backends = kNetworkd;
  std::string files;
  std::string links = link("enp1s0f0np0", {"mtu:1500"}) + link("enp1s0f1np1", {"mtu:1500"});
  std::string ip = R"([{"ifname":"bond0","mtu":9000,"flags":["UP"],"addr_info":[]},)"
                   R"({"ifname":"enp1s0f0np0","mtu":1500,"flags":["UP"],"addr_info":[]}])";
  std::string rules = "[]\n";
  NodeFacts facts() const {
    return node_facts(
        {{"pci", fixture("pci-cx5-ethernet.txt")},
         {"network-backends", backends},
         {"network-files", files},
         {"ip-addr", ip},
         {"ip-route", "[]\n[]\n"},
         {"ip-transit", rules},
         {"link-details", links}});
  }
};

inline Map slave_binding(int port) {
  return adapter_binding({{"port", port}});
}

using Desired = std::vector<std::pair<std::string, Value>>;

inline Resource bond(Desired more = {{"mode", "802.3ad"}, {"miimon", 100}}) {
  more.emplace_back("mtu", 9000);
  more.emplace_back("slaves", List{"cx5.1", "cx5.2"});
  return resource(
      "pve1/bond/bond0",
      {{"bond", "bond0"},
       {"backend", "auto"},
       {"network", "storage"},
       {"slaves", List{slave_binding(1), slave_binding(2)}}},
      std::move(more));
}

inline Resource slave(int port) {
  return resource(
      "pve1/interface/cx5." + std::to_string(port),
      adapter_binding({{"port", port}, {"backend", "auto"}, {"bond", "bond0"}}),
      {{"mtu", 9000}, {"master", "bond0"}});
}

inline Resource vlan() {
  return resource(
      "pve1/vlan/storage.backup",
      {{"parent_kind", "bond"},
       {"parent", "bond0"},
       {"bond", "bond0"},
       {"id", 100},
       {"backend", "auto"},
       {"slaves", List{slave_binding(1), slave_binding(2)}}},
      {{"id", 100}, {"mtu", 9000}, {"addresses", List{"10.100.0.1/24"}}});
}

}  // namespace fabric::providers::test::bonding
