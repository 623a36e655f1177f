// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const Provider kProvider = sriov_provider();
constexpr const char* kPath = "/etc/udev/rules.d/71-fabric-sriov-cx5.rules";

Resource wanted(Value vfs) {
  return resource(
      "pve1/sriov/cx5", adapter_binding({{"driver", "mlx5_core"}}), {{"vfs", std::move(vfs)}});
}

// `total` and `now` of each port.
NodeFacts facts(const std::string& total, const std::string& now, const std::string& files = "") {
  std::string pci = fixture("pci-cx5.txt");
  for (const char* function : {"0000:01:00.0", "0000:01:00.1"}) {
    const std::string folder = std::string{"/sys/bus/pci/devices/"} + function;
    pci += folder + "/sriov_totalvfs:" + total + "\n" + folder + "/sriov_numvfs:" + now + "\n";
  }
  return node_facts({{"pci", pci}, {"sriov-files", files}});
}

std::string as_file(const std::string& content) {
  std::string text;
  std::size_t begin = 0;
  for (std::size_t end; (end = content.find('\n', begin)) != std::string::npos; begin = end + 1)
    text += std::string{kPath} + ":" + content.substr(begin, end - begin) + "\n";
  return text;
}

std::string written(std::int64_t vfs) {
  return work_of(kProvider, wanted(vfs), facts("9", "0"))
      .actions.at(0)
      .steps.writes()
      .at(0)
      .content;
}

TEST_CASE("virtual functions are made now and at every boot", "[providers]") {
  const NodeFacts now = facts("9", "0");
  const Work work = work_of(kProvider, wanted(8), now);
  REQUIRE(work.actions.size() == 2);
  CHECK(work.actions[0].steps.writes().at(0).path == kPath);
  CHECK(
      without_record(work.actions[0].steps.writes().at(0).content) ==
      "# managed by fabric: pve1/sriov/cx5\n"
      "ACTION==\"add\", SUBSYSTEM==\"net\", KERNELS==\"0000:01:00.0\", "
      "ATTR{device/sriov_numvfs}=\"8\"\n"
      "ACTION==\"add\", SUBSYSTEM==\"infiniband\", KERNELS==\"0000:01:00.0\", "
      "ATTR{device/sriov_numvfs}=\"8\"\n"
      "ACTION==\"add\", SUBSYSTEM==\"net\", KERNELS==\"0000:01:00.1\", "
      "ATTR{device/sriov_numvfs}=\"8\"\n"
      "ACTION==\"add\", SUBSYSTEM==\"infiniband\", KERNELS==\"0000:01:00.1\", "
      "ATTR{device/sriov_numvfs}=\"8\"\n");
  CHECK(work.actions[1].steps.commands().size() == 2);
  CHECK(work.actions[1].disruption == Disruption::runtime);
  CHECK(work_of(kProvider, wanted(8), now, true).actions.size() == 1);
  CHECK(work_of(kProvider, wanted(8), facts("9", "8", as_file(written(8)))).actions.empty());
}

TEST_CASE(
    "a card of which nothing is shown yet waits for the boot with its settings", "[providers]") {
  const NodeFacts now = facts("0", "0");
  CHECK(kProvider.disruption(now, wanted(8), "vfs") == Disruption::reboot);
  const Observation observation = observe_one(kProvider, wanted(8), now);
  const auto work = kProvider.work(
      change_of(kProvider, now, wanted(8), observation), WorkContext{now, observation, false});
  REQUIRE_FALSE(work);
  CHECK(
      work.error().message ==
      "pve1/sriov/cx5: the card 0000:01:00.0 offers 0 virtual functions a port until it boots "
      "with other settings");
}

TEST_CASE("another number takes those in use away first", "[providers]") {
  const NodeFacts now = facts("9", "4", as_file(written(4)));
  CHECK(kProvider.disruption(now, wanted(8), "vfs") == Disruption::link);
  CHECK(layers(observe_one(kProvider, wanted(8), now), "vfs") == "4 | - | 4");
  const Work work = work_of(kProvider, wanted(8), now);
  REQUIRE(work.actions.size() == 2);
  CHECK(work.actions[1].undo.commands().size() == 2);
  CHECK(work.actions[1].undo.commands().at(0).back() == "4");
}

TEST_CASE("what somebody uses of virtual functions is not taken away in passing", "[providers]") {
  const auto used =
      [](const std::string& more, const std::string& by_ip, const std::string& files) {
        std::string pci = fixture("pci-cx5.txt") + more;
        for (const char* function : {"0000:01:00.0", "0000:01:00.1"}) {
          const std::string folder = std::string{"/sys/bus/pci/devices/"} + function;
          pci += folder + "/sriov_totalvfs:9\n" + folder + "/sriov_numvfs:1\n";
        }
        return node_facts({{"pci", pci}, {"sriov-files", files}, {"ip-addr", by_ip}});
      };
  const auto said = [](const Resource& resource, const NodeFacts& facts) {
    Diagnostics diagnostics;
    observe_one(kProvider, resource, facts, diagnostics);
    return diagnostics.items().empty() ? std::string{} : diagnostics.items().front().message;
  };
  const auto function = [](const std::string& driver, const std::string& interface = "") {
    const std::string folder = "/sys/bus/pci/devices/0000:01:01.2/";
    return folder + "class:0x020000\n" + folder + "device:0x1018\n" + folder + "driver:" + driver +
           "\n" + folder + "physfn:0000:01:00.1\n" +
           (interface.empty() ? "" : folder + "net/" + interface + "/is:there\n");
  };
  const std::string by_ip =
      R"([{"ifname":"enp1s0f1np1","mtu":1500,"vfinfo_list":[{"vf":0,"address":"02:00:00:00:00:01",)"
      R"("vlan_list":[{"vlan":100}]}]}])";
  const std::string of_port =
      "pve1: another number of virtual functions of 0000:01:00.1 would remove functions that are "
      "in use and that fabric did not make: ";
  CHECK(
      said(wanted(8), used(function("vfio-pci"), "[]", "")) ==
      of_port + "0000:01:01.2 is with vfio-pci");
  CHECK(
      said(wanted(8), used(function("mlx5_core"), "[]", "")) ==
      of_port + "the interface of 0000:01:01.2 is in another network namespace");
  CHECK(
      said(wanted(8), used("", by_ip, "")) ==
      of_port + "virtual function 0 has the address 02:00:00:00:00:01 and the VLAN 100");
  const std::string bridged = R"([{"ifname":"enp1s0f1v0","mtu":1500,"master":"vmbr0"}])";
  CHECK(
      said(wanted(8), used(function("mlx5_core", "enp1s0f1v0"), bridged, "")) ==
      of_port + "enp1s0f1v0 is a port of vmbr0");
  // Nobody uses it, the number stays, they are ours, or the document says that they go.
  CHECK(said(wanted(8), used(function("mlx5_core", "enp1s0f1v0"), "[]", "")).empty());
  CHECK(said(wanted(1), used(function("vfio-pci"), "[]", "")).empty());
  CHECK(said(wanted(8), used(function("vfio-pci"), "[]", as_file(written(1)))).empty());
  Resource adopted = wanted(8);
  adopted.binding.emplace("adopt", true);
  CHECK(said(adopted, used(function("vfio-pci"), "[]", "")).empty());
}

TEST_CASE("ports that differ are neither number, and a rule of others is not ours", "[providers]") {
  NodeFacts now = facts("9", "4");
  std::string pci = fixture("pci-cx5.txt");
  pci +=
      "/sys/bus/pci/devices/0000:01:00.0/sriov_numvfs:4\n"
      "/sys/bus/pci/devices/0000:01:00.1/sriov_numvfs:2\n";
  now = node_facts({{"pci", pci}, {"sriov-files", as_file("ATTR{x}=\"4\"\n")}});
  CHECK(
      layers(observe_one(kProvider, wanted(4), now), "vfs") ==
      "4 and 2 | - | unknown (" + std::string{kPath} + " is not fabric's)");
}

TEST_CASE("what the document forgets goes with its rule", "[providers]") {
  const NodeFacts now = facts("9", "4", as_file(written(4)));
  const std::vector<Resource> left = kProvider.orphans({}, now);
  REQUIRE(left.size() == 1);
  CHECK(left[0].address.str() == "pve1/sriov/cx5");
}

TEST_CASE("a whole card for a guest and the older drivers are left to others", "[providers]") {
  CHECK(kProvider.supports(wanted(4), "vfs"));
  CHECK_FALSE(kProvider.supports(
      resource("pve1/sriov/cx5", adapter_binding({{"driver", "mlx4_core"}}), {{"vfs", 4}}), "vfs"));
  CHECK_FALSE(kProvider.supports(wanted(4), "passthrough"));
}

// One line of each way in which somebody else makes them, with what the probe prints of its file.
TEST_CASE("who else makes virtual functions of a port is named with file and line", "[providers]") {
  struct Way {
    const char* file;
    std::vector<const char*> lines;
    std::size_t line;   // that is named; 0: it is about another port
    bool goes = false;  // with the interface, where that is taken over
  };
  // The ports of fixtures/pci-cx5.txt are NAME0 and NAME1.
  const std::vector<Way> ways{
      {"/etc/systemd/network/10-a.link",
       {"[Match]", "OriginalName=NAME0", "[Link]", "SR-IOVVirtualFunctions=8"},
       4},
      {"/etc/systemd/network/10-a.link",
       {"[Match]", "Path=pci-0000:01:00.1*", "[Link]", "SR-IOVVirtualFunctions=8"},
       4},
      {"/etc/systemd/network/10-a.link",
       {"[Match]", "OriginalName=eno1", "[Link]", "SR-IOVVirtualFunctions=8"},
       0},
      {"/etc/systemd/network/a.network",
       {"[Match]", "Name=NAME0", "[SR-IOV]", "VirtualFunction=0"},
       4,
       true},
      {"/etc/netplan/a.yaml",
       {"network:", "  ethernets:", "    NAME0:", "      virtual-function-count: 8"},
       4,
       true},
      {"/etc/netplan/a.yaml", {"  ethernets:", "    NAME1: {virtual-function-count: 8}"}, 2, true},
      {"/etc/netplan/a.yaml",
       {"    rdma0:", "      match:", "        name: NAME*", "      virtual-function-count: 8"},
       4,
       true},
      {"/etc/netplan/a.yaml", {"  ethernets:", "    eno1:", "      virtual-function-count: 8"}, 0},
      {"/etc/NetworkManager/system-connections/a.nmconnection",
       {"[connection]", "type=ethernet", "interface-name=NAME0", "[sriov]", "total-vfs=8"},
       5,
       true},
      {"/etc/NetworkManager/system-connections/a.nmconnection",
       {"[connection]", "type=ethernet", "interface-name=eno1", "[sriov]", "total-vfs=8"},
       0},
      {"/etc/network/interfaces",
       {"iface lo inet loopback",
        "iface NAME0 inet manual",
        "pre-up echo 8 > /sys/class/net/$IFACE/device/sriov_numvfs"},
       3,
       true},
      {"/etc/network/interfaces",
       {"iface eno1 inet manual", "post-up echo 8 > /sys/class/net/$IFACE/device/sriov_numvfs"},
       0},
      {"/etc/network/interfaces",
       {"iface eno1 inet manual", "post-up echo 8 > /sys/class/net/NAME1/device/sriov_numvfs"},
       2},
      {"/etc/udev/rules.d/a.rules",
       {"KERNELS==\"0000:01:00.0\", ATTR{device/sriov_numvfs}=\"8\""},
       1},
      {"/etc/udev/rules.d/a.rules", {"KERNEL==\"eno1\", ATTR{device/sriov_numvfs}=\"8\""}, 0},
      {"/etc/udev/rules.d/a.rules",
       {"ATTRS{vendor}==\"0x15b3\", ATTR{device/sriov_numvfs}=\"8\""},
       1},
      {"/etc/systemd/system/a.service",
       {"#ExecStart=echo 8 > /sys/class/net/NAME0/device/sriov_numvfs",
        "ExecStart=/bin/sh -c 'echo 8 > /sys/bus/pci/devices/0000:01:00.0/sriov_numvfs'"},
       2},
      {"/usr/local/sbin/vfs",
       {"for i in $PORTS; do echo 8 > /sys/class/net/$i/device/sriov_numvfs"},
       1},
      {"/etc/rc.local", {"echo 8 > /sys/class/net/eno1/device/sriov_numvfs"}, 0},
      {"/etc/tmpfiles.d/a.conf", {"w /sys/class/net/NAME*/device/sriov_numvfs - - - - 8"}, 1},
      {"/etc/sysfs.d/a.conf", {"class/net/NAME1/device/sriov_numvfs = 8"}, 1},
      {"/etc/rdma/sriov-vfs", {"0000:01:00.1 8"}, 1},
      {"/etc/rdma/sriov-vfs", {"0000:05:00.0 8"}, 0},
      {"/etc/modprobe.d/a.conf", {"options mlx5_core num_vfs=8"}, 1},
      {"/etc/modprobe.d/a.conf", {"options mlx4_core num_vfs=8"}, 0},
  };
  const Card card = inventory_of(facts("9", "0")).front();
  for (const Way& way : ways) {
    std::string probed;
    for (std::size_t i = 0; i < way.lines.size(); ++i) {
      std::string text = way.lines.at(i);
      for (std::size_t at; (at = text.find("NAME")) != std::string::npos;) {
        const bool numbered = at + 4 < text.size() && (text[at + 4] == '0' || text[at + 4] == '1');
        const AdapterPort& port = card.ports.at(numbered && text[at + 4] == '1' ? 1 : 0);
        const std::string name =
            numbered ? port.netdev : port.netdev.substr(0, port.netdev.size() - 1);
        text.replace(at, numbered ? 5 : 4, name);
      }
      probed += std::string{way.file} + ":" + std::to_string(i + 1) + ":" + text + "\n";
    }
    INFO(probed);
    NodeFacts now = facts("9", "0");
    now.probes["sriov-owners"] = {"", 0, probed, ""};
    for (const bool adopts : {false, true}) {
      Resource asked = wanted(8);
      if (adopts) asked.binding.emplace("adopt", true);
      if (adopts) asked.binding.emplace("adopted_ports", List{1, 2});
      Diagnostics diagnostics;
      observe_one(kProvider, asked, now, diagnostics);
      const bool none = way.line == 0 || (adopts && way.goes);
      REQUIRE(diagnostics.items().size() == (none ? 0 : 1));
      if (none) continue;
      const Diagnostic& said = diagnostics.items().front();
      CHECK(said.rule == "foreign-configuration");
      CHECK(
          said.message.find(std::string{way.file} + ":" + std::to_string(way.line) + " sets up") !=
          std::string::npos);
    }
  }
}

}  // namespace
}  // namespace fabric::providers
