// SPDX-License-Identifier: Apache-2.0
// What esxcli and mst print on ESXi, in the forms of several releases.
#include <string>

#include "engine/value/json.hpp"
#include "providers/esx/parsers/esxcli_keyvalue.hpp"
#include "providers/esxi/parsers/esxcli_lists.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"
#include "providers/esxi/parsers/mst_status.hpp"

#include "tests/support/catch.hpp"

namespace fabric::providers {
namespace {

template <class T>
std::string refusal(const Result<T>& result) {
  return result ? "read" : result.error().message;
}

constexpr const char* kNics =
    "structure[0].Nic.AdminStatus.string=Up\n"
    "structure[0].Nic.DPUId.string=N/A\n"
    "structure[0].Nic.Description.string=Mellanox ConnectX-7; key=value, and more\n"
    "structure[0].Nic.Driver.string=nmlx5_core\n"
    "structure[0].Nic.Link.string=Up\n"
    "structure[0].Nic.LinkStatus.string=Up\n"
    "structure[0].Nic.MACAddress.string=b8:ce:f6:dc:74:22\n"
    "structure[0].Nic.MTU.integer=9000\n"
    "structure[0].Nic.Name.string=vmnic2\n"
    "structure[0].Nic.PCIDevice.string=0000:5e:00.0\n"
    "structure[0].Nic.Speed.integer=100000\n"
    "structure[1].Nic.Description.string=\n"
    "structure[1].Nic.Driver.string=nmlx5_core\n"
    "structure[1].Nic.Link.string=Down\n"
    "structure[1].Nic.MACAddress.string=b8:ce:f6:dc:74:23\n"
    "structure[1].Nic.MTU.integer=1500\n"
    "structure[1].Nic.Name.string=vmnic3\n"
    "structure[1].Nic.PCIDevice.string=0000:5e:00.1\n"
    "structure[1].Nic.Speed.integer=100000\n";

TEST_CASE("NICs of ESXi are read by the names of their fields", "[providers]") {
  const auto nics = parse_esxcli_nic_list(kNics);
  INFO(refusal(nics));
  REQUIRE(nics);
  REQUIRE(nics->size() == 2);
  CHECK(nics->at(0).name == "vmnic2");
  CHECK(nics->at(0).pci == "0000:5e:00.0");
  CHECK(nics->at(0).mtu == 9000);
  CHECK(nics->at(0).admin_status == "Up");
  CHECK(nics->at(0).description == "Mellanox ConnectX-7; key=value, and more");
  // A port that is down and shows a speed all the same; a release without LinkStatus.
  CHECK(nics->at(1).link_status == "Down");
  CHECK(nics->at(1).speed_mbps == 100000);
  CHECK(nics->at(1).line == 12);
}

TEST_CASE("fields of esxcli that are cut, doubled or out of order are refused", "[providers]") {
  const std::string whole = kNics;
  const auto with = [&whole](const std::string& from, const std::string& to) {
    std::string text = whole;
    return refusal(parse_esxcli_nic_list(text.replace(text.find(from), from.size(), to)));
  };
  CHECK(
      with("structure[0].Nic.Link.string=Up", "structure[0].Nic.Li") ==
      "line 5: expected TYPE.FIELD.DATATYPE=VALUE, found 'structure[0].Nic.Li'");
  CHECK(with("Nic.LinkStatus", "Nic.Link") == "line 6: 'link' is there twice");
  CHECK(
      with("structure[1].Nic.Desc", "structure[2].Nic.Desc") ==
      "line 12: structure 2 is out of order");
  CHECK(
      with("structure[1].Nic.Speed.integer=100000\n", "") ==
      "line 12: a structure without 'speed'");
  CHECK(with("MTU.integer=9000", "MTU.integer=9k") == "line 1: 'mtu' is no number: '9k'");
  CHECK(
      refusal(parse_esxcli_nic_list("Error: Unknown command or namespace network nic\n")) ==
      "line 1: no line of dashes below: the columns are not known");
  const auto alone = read_esxcli_keyvalue(
      "VersionGet.Build.string=Releasebuild-1\nVersionGet.Version.string=8.0.3\n", {"version"});
  REQUIRE(alone);
  REQUIRE(alone->size() == 1);
  CHECK(alone->front().cell("build") == "Releasebuild-1");
  const auto list = read_esxcli_keyvalue(
      "structure[0].V.Uplinks[0].string=vmnic0\nstructure[0].V.Uplinks[1].string=vmnic4\n", {});
  REQUIRE(list);
  CHECK(list->front().cell("uplinks") == "vmnic0, vmnic4");
}

TEST_CASE("a host without RDMA devices prints nothing, and has none", "[providers]") {
  REQUIRE(parse_esxcli_rdma_list("\n"));
  CHECK(parse_esxcli_rdma_list("\n")->empty());
  const auto devices = parse_esxcli_rdma_list(
      "Name     Driver      State    MTU  Speed     Paired Uplink  Description\n"
      "-------  ----------  ------  ----  --------  -------------  -----------\n"
      "vmrdma0  nmlx5_rdma  Active  4096  100 Gbps  vmnic2         MT2910 Family [ConnectX-7]\n");
  INFO(refusal(devices));
  REQUIRE(devices);
  CHECK(devices->at(0).uplink == "vmnic2");
  CHECK(devices->at(0).speed == "100 Gbps");
}

TEST_CASE("a virtual function has one address, whichever release prints it", "[providers]") {
  const auto old = parse_esxcli_vf_list(
      "VF ID  Active  PCI Address     Owner World ID\n"
      "-----  ------  --------------  --------------\n"
      "    0    true  00000:075:17.0  2101956\n"
      "    1   false  00000:101:00.1   -\n");
  INFO(refusal(old));
  REQUIRE(old);
  CHECK(old->at(0).pci == "0000:4b:11.0");
  CHECK(old->at(0).owner == "2101956");
  CHECK(old->at(1).pci == "0000:65:00.1");
  CHECK(old->at(1).owner.empty());
  const auto now = parse_esxcli_vf_list("    0    true  0000:4b:11.0     2106440\n");
  REQUIRE(now);
  CHECK(now->at(0).pci == old->at(0).pci);
  CHECK(parse_esxcli_vf_list("There is no SRIOV Nic with name vmnic6\n")->empty());
  for (const char* damaged :
       {"    0    true  00000:4b:11.0  -\n",
        "    0    true  0000:4b:11\n",
        "    0    perhaps  0000:4b:11.0  -\n",
        "    0    true  00000:300:00.0  -\n"})
    CHECK(refusal(parse_esxcli_vf_list(damaged)).find("line 1: expected ID ACTIVE") == 0);
}

TEST_CASE("a PCI function is known by its own device, not that of its subsystem", "[providers]") {
  const std::string block =
      "0000:04:00.0\n   Address: 0000:04:00.0\n   VMkernel Name: \n   Current Owner: VM Passthru\n"
      "   Vendor ID: 0x15b3\n   Device ID: 0x1021\n   SubVendor ID: 0x15b3\n"
      "   SubDevice ID: 0x0001\n   Device Class: 0x0207\n   Module Name: pciPassthru\n"
      "   Slot Description: CPU1: SLOT3\n";
  const auto functions = parse_esxcli_pci_list(block);
  INFO(refusal(functions));
  REQUIRE(functions);
  CHECK(functions->at(0).device == 0x1021);
  CHECK(functions->at(0).device_class == 0x0207);
  CHECK(functions->at(0).is_passed_through());
  CHECK(functions->at(0).name.empty());
  CHECK(
      refusal(parse_esxcli_pci_list("   Address: 0000:04:00.0\n")) ==
      "line 1: expected Key: Value, found 'Address: 0000:04:00.0'");
  CHECK(
      refusal(parse_esxcli_pci_list(block.substr(0, block.find("   Device Class")))) ==
      "line 1: '0000:04:00.0' has no line 'deviceclass'");
  CHECK(
      refusal(parse_esxcli_pci_list(block + "   Device ID: 0x1\n")) ==
      "line 12: 'Device ID' is there twice");
  CHECK(
      refusal(parse_esxcli_pci_list(block + "   Physic")) ==
      "line 12: expected Key: Value, found 'Physic'");
}

TEST_CASE("a virtual switch has all its uplinks", "[providers]") {
  const auto switches = parse_esxcli_vswitch_list(
      "vSwitch0\n   Name: vSwitch0\n   MTU: 1500\n   CDP Status: listen\n   Uplinks: vmnic0, "
      "vmnic4\n   Portgroups: VM Network, Management Network\n\nempty\n   Name: empty\n"
      "   MTU: 9000\n   Uplinks: \n   Portgroups:\n");
  INFO(refusal(switches));
  REQUIRE(switches);
  REQUIRE(switches->size() == 2);
  CHECK(switches->at(0).uplinks == std::vector<std::string>{"vmnic0", "vmnic4"});
  CHECK(switches->at(0).port_groups.back() == "Management Network");
  CHECK(switches->at(1).uplinks.empty());
  CHECK(switches->at(1).mtu == 9000);
}

TEST_CASE("the ports of a distributed switch are none of its own lines", "[providers]") {
  const auto switches = parse_esxcli_dvs_list(
      "DSwitch\n   Name: DSwitch\n   VDS ID: 50 02\n   MTU: 9000\n   Uplinks: vmnic2, vmnic3\n"
      "   VMware Branded: true\n   DVPort:\n         Client: vmnic2\n         Port ID: 12\n"
      "   DVPort:\n         Client: vmnic3\n         Port ID: 13\n\n"
      "second\n   Name: second\n   MTU: 1500\n   Uplinks: \n");
  INFO(refusal(switches));
  REQUIRE(switches);
  REQUIRE(switches->size() == 2);
  CHECK(switches->at(0).mtu == 9000);
  CHECK(switches->at(0).uplinks == std::vector<std::string>{"vmnic2", "vmnic3"});
  CHECK(switches->at(1).name == "second");
  CHECK(parse_esxcli_dvs_list("")->empty());
  CHECK_FALSE(parse_esxcli_dvs_list("DSwitch\n   Name: DSwitch\n   Uplinks: \n"));
}

TEST_CASE("devices of mst are known by what they look like", "[providers]") {
  const auto wide = parse_mst_status(
      "PCI devices:\n------------\n"
      "DEVICE_TYPE             MST               PCI       RDMA    NET          NUMA\n"
      "ConnectX7(rev:0)        mt4129_pciconf0   5e:00.0           net-vmnic2\n"
      "ConnectX7(rev:0)        mt4129_pciconf0.1 5e:00.1           net-vmnic3\n");
  INFO(refusal(wide));
  REQUIRE(wide);
  REQUIRE(wide->size() == 2);
  CHECK(wide->at(0).pci == "0000:5e:00.0");
  CHECK(wide->at(0).net == "vmnic2");
  CHECK_FALSE(wide->at(0).is_second_port());
  CHECK(wide->at(1).is_second_port());
  const auto plain = parse_mst_status("\n\nMST devices: \n------------\nmt4129_pciconf0\n");
  REQUIRE(plain);
  CHECK(plain->at(0).name == "mt4129_pciconf0");
  CHECK(plain->at(0).pci.empty());
  CHECK(parse_mst_status("MST devices:\n------------\n")->empty());
  CHECK(
      refusal(parse_mst_status("mt4129_pciconf0\n")) ==
      "line 1: no heading 'MST devices:' or 'PCI devices:'");
  CHECK(
      refusal(parse_mst_status("PCI devices:\n------------\nConnectX7(rev:0) mt4129_pciconf0\n")) ==
      "line 3: expected a device of mst, found 'ConnectX7(rev:0) mt4129_pciconf0'");
}

}  // namespace
}  // namespace fabric::providers
