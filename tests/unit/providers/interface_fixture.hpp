// SPDX-License-Identifier: Apache-2.0
// A node with one ConnectX-5 and its network files, for the tests of the interface provider.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers::test {

inline const Provider kProvider = link_provider(kinds::kInterface);

inline constexpr const char* kNetworkd =
    "unit NetworkManager inactive\nunit systemd-networkd active\nunit networking inactive\ntool "
    "networkctl\n";
inline constexpr const char* kIfupdown =
    "file /etc/network/interfaces\nunit systemd-networkd inactive\nunit networking active\ntool "
    "ifup\n";
inline constexpr const char* kSourced =
    "/etc/network/interfaces:source /etc/network/interfaces.d/*\n/etc/network/interfaces:\n"
    "/etc/network/interfaces:auto lo\n/etc/network/interfaces:iface lo inet loopback\n";

// Port 2 of fixtures/pci-cx5.txt is enp1s0f1np1; port 1 is InfiniBand.
inline std::string ip_addr(
    int mtu, const std::string& addresses, const std::string& flags = "\"BROADCAST\",\"UP\"") {
  return R"([{},{"ifname":"lo","mtu":65536},{"ifname":"enp1s0f1np1","flags":[)" + flags +
         R"(],"link_type":"ether","mtu":)" + std::to_string(mtu) + R"(,"addr_info":[)" + addresses +
         R"({"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"}]}])";
}

inline std::string inet(const std::string& address, int length) {
  return R"({"family":"inet","local":")" + address + R"(","prefixlen":)" + std::to_string(length) +
         R"(,"scope":"global"},)";
}

inline std::string as_files(const std::string& path, const std::string& content) {
  std::string text;
  for (const auto line : split_lines(content))
    text += path + ":" + std::string{line} + "\n";
  return text;
}

struct Node {
  std::string backends = kNetworkd;
  std::string files;
  std::string ip = ip_addr(1500, "");
  std::string pci = fixture("pci-cx5.txt");
  NodeFacts facts() const {
    return node_facts(
        {{"pci", pci}, {"network-backends", backends}, {"network-files", files}, {"ip-addr", ip}});
  }
};

inline Resource port(
    int number,
    Map more = {},
    std::vector<std::pair<std::string, Value>> desired = {
        {"mtu", 9000}, {"addresses", List{"10.30.0.2/24"}}}) {
  Map binding = adapter_binding({{"port", number}, {"backend", "auto"}, {"network", "storage"}});
  for (auto& [key, value] : more)
    binding.insert_or_assign(key, std::move(value));
  return resource(
      "pve1/interface/cx5." + std::to_string(number), std::move(binding), std::move(desired));
}

inline std::string findings(const Resource& wanted, const NodeFacts& facts) {
  Diagnostics diagnostics;
  observe_one(kProvider, wanted, facts, diagnostics);
  std::string text;
  for (const Diagnostic& each : diagnostics.items()) {
    text += std::string{to_string(each.severity)} + " " + each.rule + ": " + each.message + "\n";
  }
  return text;
}

inline constexpr const char* kNetworkFile =
    "# managed by fabric: pve1/interface/cx5.2\n"
    "[Match]\nPath=pci-0000:01:00.1\nType=ether\n\n"
    "[Link]\nMTUBytes=9000\nRequiredForOnline=no\n\n"
    "[Network]\nAddress=10.30.0.2/"
    "24\nLinkLocalAddressing=no\nIPv6AcceptRA=no\nConfigureWithoutCarrier=yes\n";
inline constexpr const char* kNetworkPath = "/etc/systemd/network/10-fabric-cx5.2.network";
inline constexpr const char* kInterfacesFile =
    "# managed by fabric: pve1/interface/cx5.2\n"
    "auto enp1s0f1np1\niface enp1s0f1np1 inet static\n    address 10.30.0.2/24\n    mtu 9000\n";
inline constexpr const char* kInterfacesPath = "/etc/network/interfaces.d/fabric-cx5-2";

}  // namespace fabric::providers::test
