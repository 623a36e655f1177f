// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/value/json.hpp"

#include "tests/unit/model/expanded.hpp"

namespace fabric {
namespace {

using test::after;
using test::beneath;
using test::desired;
using test::expand_text;
using test::Expanded;
using test::Lines;

constexpr const char* kFabric = R"(apiVersion: fabric/v1
name: ib
nodes:
  n[1-4]:
    adapters:
      hca: {model: connectx-6, ports: 1}
  sw1: {platform: unmanaged, node_guid: "0x0002c902004048a8"}
networks:
  ib0:
    mode: infiniband
    mtu: 4096
    cables: [["n[1-4]/1", "sw1/[1-4]"]]
    subnet_managers:
      - {node: n3, priority: 5}
      - {node: n1, priority: 10}
    subnet_manager: {routing_engine: "ftree, updn", roots: [sw1], virtualization: true}
    partitions:
      storage: {pkey: "0x8010", ipoib: true, mtu: 2048, members: {"n[1-2]": full, n4: limited, SELF: full}}
    vlans:
      backup: {id: 16, partition: storage, ipv4: {subnet: 10.41.0.0/24, addresses: {n1: 10.41.0.1, n2: 10.41.0.2, n4: 10.41.0.4}}}
    ipoib: {mode: datagram, mtu: 4092, ipv4: {subnet: 10.40.0.0/24}}
)";

TEST_CASE("ports of an InfiniBand network have its link type and an IPoIB interface", "[model]") {
  const Expanded ib = expand_text(kFabric);
  CHECK(desired(ib.at("n2/settings/hca")) == R"({"LINK_TYPE_P1":1})");
  const Resource& interface = ib.at("n2/interface/hca.1");
  CHECK(
      desired(interface) == R"({"addresses":["10.40.0.2/24"],"ipoib_mode":"datagram","mtu":4092})");
  CHECK(interface.binding.at("link_type") == Value{"infiniband"});
  REQUIRE(interface.features.size() == 1);
  CHECK(interface.features[0].name == "infiniband");
  CHECK(interface.features[0].written == "`ipoib`");
  CHECK(ib.line(interface.features[0].range) == 21);
}

TEST_CASE("a bond of IPoIB has the address; mode and MTU stay with its slaves", "[model]") {
  const Expanded ib = expand_text(R"(apiVersion: fabric/v1
name: ib
nodes:
  n[1-2]: {adapters: {hca: {model: connectx-3}}}
  sw1: {platform: unmanaged}
networks:
  ib0:
    mode: infiniband
    cables: [["n[1-2]/1", "sw1/[1-2]"], ["n[1-2]/2", "sw1/[3-4]"]]
    subnet_manager: {external: true}
    ipoib: {mode: connected, mtu: 65520, bond: {name: ibbond0, primary: 2}, ipv4: {subnet: 10.40.0.0/24, gateway: 10.40.0.254}}
)");
  for (const char* port : {"1", "2"}) {
    const Resource& slave = ib.at(fmt::format("n2/interface/hca.{}", port));
    CHECK(desired(slave) == R"({"ipoib_mode":"connected","master":"ibbond0","mtu":65520})");
    CHECK(slave.part_of->str() == "n2/bond/ibbond0");
  }
  const Resource& bond = ib.at("n2/bond/ibbond0");
  CHECK(
      desired(bond) ==
      R"({"addresses":["10.40.0.2/24"],"fail_over_mac":"active","gateway":"10.40.0.254","miimon":100,)"
      R"("mode":"active-backup","mtu":65520,"primary":"2","slaves":["hca.1","hca.2"]})");
  CHECK(beneath(bond) == Lines{"n2/interface/hca.1", "n2/interface/hca.2"});
  CHECK(bond.binding.at("link_type") == Value{"infiniband"});
}

TEST_CASE("managers of a subnet come before IPoIB on all its nodes, and in one order", "[model]") {
  const Expanded ib = expand_text(kFabric);
  const std::string first = "n1/subnet_manager/ib0.hca.1";
  const std::string second = "n3/subnet_manager/ib0.hca.1";
  const auto managers = [&](const char* address) {
    Lines lines = after(ib.at(address));
    std::erase_if(lines, [](const std::string& each) {
      return each.find("subnet_manager") == std::string::npos;
    });
    return lines;
  };
  CHECK(managers("n2/interface/hca.1") == Lines{second, first});
  CHECK(managers("n4/ipoib/hca.1.8010") == Lines{second, first});
  // The standby begins, and the master takes over from it.
  CHECK(managers("n1/interface/hca.1") == Lines{second, first});
  CHECK(managers("n3/interface/hca.1") == Lines{second});
  CHECK(managers(first.c_str()) == Lines{second});
  CHECK(managers(second.c_str()).empty());
}

TEST_CASE("of two managers on one node only one waits for the other", "[model]") {
  const Expanded ib = expand_text(R"(apiVersion: fabric/v1
name: ib
nodes:
  n[1-2]: {adapters: {hca: {model: connectx-6, ports: 2}}}
  sw1: {platform: unmanaged}
networks:
  ib0:
    mode: infiniband
    cables: [["n1/[1-2]", "sw1/[1-2]"], [n2/1, sw1/3]]
    subnet_managers: [{node: n1, port: 2, priority: 15}, {node: n1, port: 1, priority: 14}]
)");
  const std::string first = "n1/subnet_manager/ib0.hca.1", second = "n1/subnet_manager/ib0.hca.2";
  const Lines of_first = after(ib.at(first)), of_second = after(ib.at(second));
  CHECK(std::find(of_first.begin(), of_first.end(), second) == of_first.end());
  CHECK(std::find(of_second.begin(), of_second.end(), first) != of_second.end());
}

TEST_CASE("nodes that manage each other's rails do not wait for each other", "[model]") {
  const Expanded rails = expand_text(R"(apiVersion: fabric/v1
name: rails
nodes:
  n[1-3]:
    adapters:
      a: {model: connectx-6, ports: 1}
      b: {model: connectx-6, ports: 1, pci: "0000:81:00.0"}
  sw[1-2]: {platform: unmanaged}
networks:
  rail1:
    mode: infiniband
    cables: [["n[1-3]/a/1", "sw1/[1-3]"]]
    subnet_managers: [{node: n1, priority: 1}]
    ipoib: {ipv4: {subnet: 10.1.0.0/24}}
  rail2:
    mode: infiniband
    cables: [["n[1-3]/b/1", "sw2/[1-3]"]]
    subnet_managers: [{node: n2, priority: 1}]
    ipoib: {ipv4: {subnet: 10.2.0.0/24}}
)");
  const auto waits = [&](const char* address, const char* manager) {
    const Lines lines = after(rails.at(address));
    return std::find(lines.begin(), lines.end(), manager) != lines.end();
  };
  const char* on_n1 = "n1/subnet_manager/rail1.a.1";
  const char* on_n2 = "n2/subnet_manager/rail2.b.1";
  CHECK(waits("n3/interface/a.1", on_n1));
  CHECK(waits("n3/interface/b.1", on_n2));
  CHECK(waits("n2/interface/a.1", on_n1));
  CHECK_FALSE(waits("n1/interface/b.1", on_n2));
}

TEST_CASE("a manager has its priority and the options of the network", "[model]") {
  const Expanded ib = expand_text(kFabric);
  Resource manager = ib.at("n1/subnet_manager/ib0.hca.1");
  CHECK(manager.binding.at("node_guids") == Value{Map{{"sw1", "0x0002c902004048a8"}}});
  CHECK(manager.binding.at("peers") == Value{List{"n1/hca/1", "n2/hca/1", "n3/hca/1", "n4/hca/1"}});
  CHECK(
      after(manager) ==
      Lines{
          "n1/adapter/hca", "n1/settings/hca", "n1/package/opensm", "n3/subnet_manager/ib0.hca.1"});
  CHECK(ib.at("n1/package/opensm").binding.at("program") == Value{"opensm"});
  CHECK(ib.addresses("package") == Lines{"n1/package/opensm", "n3/package/opensm"});
  CHECK(ib.line(manager.features.front().range) == 15);
  manager.desired.erase("partitions");
  CHECK(
      desired(manager) ==
      R"({"manages":true,"priority":10,"roots":["sw1"],"routing_engine":"ftree, updn","virtualization":true})");
}

TEST_CASE("roots are switches, and I/O nodes are the ports of hosts in the network", "[model]") {
  std::string text = kFabric;
  const std::string from = "roots: [sw1]";
  text.replace(text.find(from), from.size(), "roots: [sw1], io: [n4, n2]");
  const Resource manager = expand_text(text).at("n1/subnet_manager/ib0.hca.1");
  CHECK(to_json(manager.desired.at("roots").value) == R"(["sw1"])");
  CHECK(to_json(manager.desired.at("io").value) == R"(["n2/hca/1","n4/hca/1"])");
}

TEST_CASE("every manager hands out the same partitions, a default among them", "[model]") {
  const Expanded ib = expand_text(kFabric);
  const auto partitions = [&](const char* manager) {
    return to_json(ib.at(manager).desired.at("partitions").value);
  };
  CHECK(
      partitions("n1/subnet_manager/ib0.hca.1") ==
      R"([{"ipoib":true,"members":[{"full":true,"who":"ALL"}],"mtu":4096,"name":"Default","pkey":32767},)"
      R"({"ipoib":true,"members":[{"full":true,"who":"SELF"},{"full":true,"who":"n1/hca/1"},)"
      R"({"full":true,"who":"n2/hca/1"},{"full":false,"who":"n4/hca/1"}],"mtu":2048,"name":"storage","pkey":16}])");
  CHECK(partitions("n1/subnet_manager/ib0.hca.1") == partitions("n3/subnet_manager/ib0.hca.1"));
}

TEST_CASE("who is named is more than all, wherever it is written", "[model]") {
  std::string text = kFabric;
  const std::string before = "{\"n[1-2]\": full, n4: limited, SELF: full}";
  text.replace(text.find(before), before.size(), "{n4/1: full, n4: limited, ALL: limited}");
  CHECK(
      to_json(expand_text(text).at("n1/subnet_manager/ib0.hca.1").desired.at("partitions").value)
          .find(R"([{"full":false,"who":"ALL"},{"full":false,"who":"n4/hca/1"},)"
                R"({"full":true,"who":"n4/hca/1"}])") != std::string::npos);
}

TEST_CASE(
    "a manager is a full member of the default partition unless it is named there", "[model]") {
  const auto members = [](const std::string& said) {
    std::string text = kFabric;
    const std::string before = "storage: {";
    text.replace(
        text.find(before),
        before.size(),
        "base: {pkey: 0x7fff, ipoib: true, members: " + said + "}\n      storage: {");
    const std::string all =
        to_json(expand_text(text).at("n1/subnet_manager/ib0.hca.1").desired.at("partitions").value);
    return all.substr(0, all.find(R"(,"mtu")"));
  };
  CHECK(
      members("{ALL: limited}") ==
      R"([{"ipoib":true,"members":[{"full":false,"who":"ALL"},{"full":true,"who":"SELF"}])");
  CHECK(
      members("{n1: limited, n2: limited}") ==
      R"([{"ipoib":true,"members":[{"full":true,"who":"SELF"},{"full":false,"who":"n1/hca/1"},)"
      R"({"full":false,"who":"n2/hca/1"}])");
  CHECK(
      members("{SELF: limited, ALL: full}") ==
      R"([{"ipoib":true,"members":[{"full":true,"who":"ALL"},{"full":false,"who":"SELF"}])");
}

TEST_CASE("a switch is a member once, by the GUID of its port 0", "[model]") {
  std::string text = kFabric;
  const std::string before = "{\"n[1-2]\": full, n4: limited, SELF: full}";
  text.replace(text.find(before), before.size(), "{n1: full, n2: full, n4: limited, sw1: limited}");
  const Expanded ib = expand_text(text);
  const Resource& manager = ib.at("n1/subnet_manager/ib0.hca.1");
  const std::string partitions = to_json(manager.desired.at("partitions").value);
  CHECK(partitions.find(R"({"full":false,"who":"sw1"}],"mtu":2048)") != std::string::npos);
  CHECK(manager.binding.at("declared_guids") == Value{Map{{"sw1", "0x0002c902004048a8"}}});
  CHECK_FALSE(
      expand_text(kFabric).at("n1/subnet_manager/ib0.hca.1").binding.contains("declared_guids"));
}

TEST_CASE("a VLAN over InfiniBand is a child of the ports that are in its partition", "[model]") {
  const Expanded ib = expand_text(kFabric);
  CHECK(
      ib.addresses("ipoib") ==
      Lines{"n1/ipoib/hca.1.8010", "n2/ipoib/hca.1.8010", "n4/ipoib/hca.1.8010"});
  const Resource& child = ib.at("n2/ipoib/hca.1.8010");
  // The partition has the IB MTU 2048, less the header of 4.
  CHECK(
      desired(child) ==
      R"({"addresses":["10.41.0.2/24"],"ipoib_mode":"datagram","mtu":2044,"pkey":16})");
  CHECK(beneath(child) == Lines{"n2/interface/hca.1"});
  CHECK(child.binding.at("parent") == Value{"hca.1"});
  // A port without IPoIB of its own is up for its child alone; n3 has none.
  std::string text = kFabric;
  text.erase(text.find("    ipoib: {mode"));
  const Expanded bare = expand_text(text);
  CHECK(
      bare.addresses("interface") ==
      Lines{"n1/interface/hca.1", "n2/interface/hca.1", "n4/interface/hca.1"});
  CHECK(desired(bare.at("n2/interface/hca.1")) == R"({"addresses":[]})");
  CHECK(beneath(bare.at("n2/ipoib/hca.1.8010")) == Lines{"n2/interface/hca.1"});
}

TEST_CASE("external managers are never started by us", "[model]") {
  std::string text = kFabric;
  const std::string from = "{routing_engine: \"ftree, updn\", roots: [sw1], virtualization: true}";
  text.replace(text.find(from), from.size(), "{external: true}");
  const std::string managers =
      "    subnet_managers:\n"
      "      - {node: n3, priority: 5}\n"
      "      - {node: n1, priority: 10}\n";
  text.erase(text.find(managers), managers.size());
  const Expanded ib = expand_text(text);
  CHECK(ib.addresses("subnet_manager").empty());
  CHECK(ib.addresses("partitions").empty());
  CHECK(after(ib.at("n2/interface/hca.1")) == Lines{"n2/adapter/hca", "n2/settings/hca"});
}

TEST_CASE(
    "two IPoIB ports in one subnet need the kernel parameters as Ethernet ports do", "[model]") {
  const Expanded ib = expand_text(R"(apiVersion: fabric/v1
name: two
nodes:
  n1: {adapters: {hca: {model: connectx-6}}}
  sw1: {platform: unmanaged}
networks:
  ib0:
    mode: infiniband
    cables: [["n1/[1-2]", "sw1/[1-2]"]]
    subnet_managers: [{node: n1, port: 1}]
    ipoib: {ipv4: {subnet: 10.40.0.0/24, per: port}}
)");
  CHECK(ib.at("n1/sysctl/ib0").desired.size() == 4);
}

}  // namespace
}  // namespace fabric
