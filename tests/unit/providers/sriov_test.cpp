// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const SriovProvider kProvider;
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
      "pve1: another number of virtual functions of 0000:01:00.1 takes away what somebody uses, "
      "and "
      "fabric did not make them: ";
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

}  // namespace
}  // namespace fabric::providers
