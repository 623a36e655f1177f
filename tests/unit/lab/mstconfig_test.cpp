// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

FabricSpec one_host(const std::string& model, const std::string& ports = "") {
  return load_text(fmt::format(
      "apiVersion: fabric/v1\nname: one\nnodes:\n  pve1:\n    adapters: {{a: {{model: {}{}}}}}\n",
      model,
      ports.empty() ? "" : ", ports: " + ports));
}

RingLab host_with(const std::string& model, LabHost host, const std::string& ports = "") {
  LabSpec spec;
  spec.hosts["pve1"] = std::move(host);
  return RingLab{one_host(model, ports), spec};
}

std::string row_of(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(" " + name + " ");
  if (at == std::string::npos) return "";
  const std::size_t start = text.rfind('\n', at) + 1;
  return text.substr(start, text.find('\n', at) - start);
}

TEST_CASE("mstconfig 4.26 shows three columns with -e", "[lab]") {
  RingLab lab = host_with("connectx-5-vpi", {});
  const std::string text = lab.out(1, "mstconfig -d 0000:01:00.0 -e q");
  CHECK(
      text.rfind(
          "\nDevice #1:\n----------\n\nDevice type:        ConnectX5           \nName:             "
          "  MCX556A-ECA_Ax      \n",
          0) == 0);
  CHECK(
      text.find("\nConfigurations:                                     Default              "
                "Current              Next Boot\n") != std::string::npos);
  CHECK(
      row_of(text, "LINK_TYPE_P1") ==
      "        LINK_TYPE_P1                                IB(1)                IB(1)              "
      "  IB(1)               ");
  CHECK(
      row_of(text, "HOST_CHAINING_DESCRIPTORS")
          .find("Array[0..7]          Array[0..7]          Array[0..7]") != std::string::npos);
  CHECK(
      text.find(
          "PCI_ATOMIC_DISABLED_EXT_ATOMIC_ENABLED(0) PCI_ATOMIC_DISABLED_EXT_ATOMIC_ENABLED(0)") !=
      std::string::npos);
}

TEST_CASE("older tools have narrower columns and know fewer parameters", "[lab]") {
  LabHost host;
  host.tool_version = "4.21";
  RingLab lab = host_with("connectx-5-vpi", host);
  const std::string text = lab.out(1, "mstconfig -d 0000:01:00.0 q");
  CHECK(
      text.find("\nConfigurations:                              Next Boot\n") != std::string::npos);
  CHECK(
      row_of(text, "HOST_CHAINING_MODE") ==
      "         HOST_CHAINING_MODE                  DISABLED(0)     ");
  CHECK(text.find("HOST_CHAINING_CACHE_DISABLE") == std::string::npos);
  host.tool_version = "4.31";
  RingLab ends = host_with("connectx-5-vpi", host);
  const std::string aligned = ends.out(1, "mstconfig -d 0000:01:00.0 -e q PHY_FEC_OVERRIDE_P1");
  CHECK(
      aligned.find("\nConfigurations:                                          Default             "
                   "Current   "
                   "      Next Boot\n") != std::string::npos);
  CHECK(aligned.find("DEVICE_DEFAULT(0)    DEVICE_DEFAULT(0)   \n") != std::string::npos);
  host.tool_version = "4.36";
  RingLab newer = host_with("connectx-5-vpi", host);
  CHECK(
      row_of(newer.out(1, "mstconfig -d 0000:01:00.0 -e q"), "LINK_TYPE_P2") ==
      "        LINK_TYPE_P2                                    IB(1)                             "
      "IB(1)                             IB(1)               ");
}

TEST_CASE(
    "set changes next boot only; the boot makes it current; both functions are one card", "[lab]") {
  RingLab lab = host_with("connectx-5-vpi", {});
  const ExecResult set =
      lab.exec(1, "mstconfig -d 0000:01:00.1 -y set LINK_TYPE_P1=eth HOST_CHAINING_MODE=BASIC");
  CHECK(set.exit_status == 0);
  CHECK(
      set.standard_output.find(" Apply new Configuration? (y/n) [n] : y\nApplying... Done!\n-I- "
                               "Please reboot machine to load new configurations.\n") !=
      std::string::npos);
  const std::string armed = lab.out(1, "mstconfig -d 01:00.0 -e q LINK_TYPE_P1 HOST_CHAINING_MODE");
  CHECK(
      row_of(armed, "LINK_TYPE_P1") ==
      "*       LINK_TYPE_P1                                IB(1)                IB(1)              "
      "  ETH(2)              ");
  CHECK(
      armed.find(
          "The '*' shows parameters with next value different from default/current value.\n") !=
      std::string::npos);
  lab.reboot(1);
  CHECK(
      row_of(lab.out(1, "mstconfig -d 01:00.0 -e q HOST_CHAINING_MODE"), "HOST_CHAINING_MODE") ==
      "*       HOST_CHAINING_MODE                          DISABLED(0)          BASIC(1)           "
      "  BASIC(1)            ");
}

TEST_CASE("errors of mstconfig go to standard output with status 3", "[lab]") {
  RingLab lab = host_with("connectx-5-vpi", {});
  const auto fails =
      [&](const std::string& line, const std::string& message, const std::string& input = "") {
        const ExecResult result = lab.exec(1, line, input);
        INFO(line << "\n" << result.standard_output);
        CHECK(result.exit_status == 3);
        CHECK(result.standard_error.empty());
        CHECK(result.standard_output.find(message) != std::string::npos);
      };
  fails("mstconfig -d 0000:99:00.0 q", "-E- Failed to open the device\n");
  fails("mstconfig -y set LINK_TYPE_P1=2", "-E- set command expects device to be specified.\n");
  fails(
      "mstconfig -d 01:00.0 q LINK_TYPE_P1 NO_SUCH",
      "-E- The Device doesn't support NO_SUCH parameter\n");
  fails("mstconfig -d 01:00.0 -y set LINK_TYPE_P1=0", "-E- Unknown value 0");
  fails("mstconfig -d 01:00.0 -y set NUM_OF_VFS=100000", "larger than maximum allowed 127\n");
  fails(
      "mstconfig -d 01:00.0 -y set SRIOV_EN=1 SRIOV_EN=0", "-E- Duplicate parameter, SRIOV_EN.\n");
  fails("mstconfig -d 01:00.0 set LINK_TYPE_P1=2", "-E- Aborted by user.\n");
  fails(
      "mstconfig -d 01:00.0 q HOST_CHAINING_DESCRIPTORS[0..9]",
      "-E- Index 9 of the parameter HOST_CHAINING_DESCRIPTORS is out of range. Maximal index is "
      "7\n");
  CHECK(
      lab.exec(1, "mstconfig -d 01:00.0 q LINK_TYPE_P1 NO_SUCH").standard_output.find("IB(1)") ==
      std::string::npos);
  CHECK(lab.exec(1, "mstconfig -d 01:00.0 set LINK_TYPE_P1=2", "y\n").exit_status == 0);
  CHECK(lab.exec(1, "mlxconfig q").exit_status == 127);
}

TEST_CASE("what a card lists is not what it can do", "[lab]") {
  RingLab lx = host_with("connectx-6-lx", {});
  const std::string text = lx.out(1, "mstconfig -d 01:00.0 q");
  CHECK(text.find("HOST_CHAINING_MODE") != std::string::npos);
  CHECK(text.find("LINK_TYPE") == std::string::npos);
  RingLab single = host_with("connectx-5-vpi", {}, "1");
  const std::string listed = single.out(1, "mstconfig -d 01:00.0 q");
  CHECK(listed.find("HOST_CHAINING_MODE") != std::string::npos);
  CHECK(listed.find("LINK_TYPE_P2") == std::string::npos);
  CHECK(single.out(1, "ls /sys/class/net") == "eno1\nibp1s0\nlo\n");
}

TEST_CASE("a card that can't tell its running values says so", "[lab]") {
  LabHost host;
  host.tool_version = "4.21";
  RingLab cx3 = host_with("connectx-3-vpi", host);
  const std::string text = cx3.out(1, "mstconfig -d 01:00.0 -e q");
  CHECK(text.find("Device type:    ConnectX3       \n") != std::string::npos);
  CHECK(
      row_of(text, "LINK_TYPE_P2") ==
      "         LINK_TYPE_P2                        VPI(3)          ");
  CHECK(
      text.find("Device Firmware does not support reading default and current configurations\n") !=
      std::string::npos);
  host.adapters["a"].firmware = "12.16.1020";
  RingLab cx4 = host_with("connectx-4-vpi", host);
  const std::string halfway = cx4.out(1, "mstconfig -d 01:00.0 -e q");
  CHECK(
      halfway.find("Configurations:                              Default         Next Boot\n") !=
      std::string::npos);
  CHECK(
      halfway.find("Device Firmware does not support reading current configurations\n") !=
      std::string::npos);
}

TEST_CASE("MFT needs mst start for its device names", "[lab]") {
  LabHost host;
  host.tool = "mlxconfig";
  RingLab lab = host_with("connectx-5-vpi", host);
  CHECK(lab.exec(1, "mlxconfig -d /dev/mst/mt4119_pciconf0 q").exit_status == 3);
  lab.exec(1, "mst start");
  CHECK(
      lab.out(1, "mst status -v")
          .find("ConnectX5(rev:0)        /dev/mst/mt4119_pciconf0.1    01:00.1   ibp1s0f1") !=
      std::string::npos);
  CHECK(
      lab.out(1, "mlxconfig -d /dev/mst/mt4119_pciconf0 q")
          .find("Device:             /dev/mst/mt4119_pciconf0") != std::string::npos);
  CHECK(lab.exec(1, "mlxconfig -d mt4119_pciconf0 q").exit_status == 0);
  CHECK(lab.exec(1, "mstconfig q").exit_status == 127);
}

TEST_CASE("FORCE_ETH_PCI_SUBCLASS needs ADVANCED_PCI_SETTINGS in an earlier set", "[lab]") {
  RingLab lab = host_with("connectx-5-vpi", {});
  CHECK(
      lab.exec(1, "mstconfig -d 01:00.0 -y set ADVANCED_PCI_SETTINGS=1 FORCE_ETH_PCI_SUBCLASS=1")
          .exit_status == 3);
  CHECK(lab.exec(1, "mstconfig -d 01:00.0 -y set ADVANCED_PCI_SETTINGS=1").exit_status == 0);
  CHECK(lab.exec(1, "mstconfig -d 01:00.0 -y set FORCE_ETH_PCI_SUBCLASS=1").exit_status == 0);
  lab.reboot(1);
  CHECK(
      lab.out(1, "cat /sys/bus/pci/devices/0000:01:00.0/class /sys/class/net/ibp1s0f0/type") ==
      "0x020000\n32\n");
}

TEST_CASE("mlxfwreset loads link types but not host chaining", "[lab]") {
  RingLab lab = host_with("connectx-5-vpi", {});
  lab.exec(1, "mstconfig -d 01:00.0 -y set LINK_TYPE_P1=2 LINK_TYPE_P2=2 HOST_CHAINING_MODE=1");
  CHECK(
      lab.exec(1, "mstfwreset -d 01:00.0 -l 3 -y reset")
          .standard_output.find("-I- FW was loaded successfully.\n") != std::string::npos);
  CHECK(
      lab.out(1, "ls -d /sys/class/net/enp*") ==
      "/sys/class/net/enp1s0f0np0\n/sys/class/net/enp1s0f1np1\n");
  CHECK(
      row_of(lab.out(1, "mstconfig -d 01:00.0 -e q"), "HOST_CHAINING_MODE")
          .find("DISABLED(0)          DISABLED(0)          BASIC(1)") != std::string::npos);
}

TEST_CASE("the other tools of the card agree with it", "[lab]") {
  RingLab lab = host_with("connectx-5-vpi", {});
  CHECK(
      lab.out(1, "mstflint -d 0000:01:00.0 q").find("FW Version:            16.35.2000\n") !=
      std::string::npos);
  CHECK(
      lab.out(1, "lspci -Dnn -d 15b3:") ==
      "0000:01:00.0 Infiniband controller [0207]: Mellanox Technologies MT27800 Family "
      "[ConnectX-5] [15b3:1017]\n0000:01:00.1 Infiniband controller [0207]: Mellanox Technologies "
      "MT27800 Family [ConnectX-5] [15b3:1017]\n");
  CHECK(
      lab.out(1, "ibstat | head -3") == "CA 'ibp1s0f0'\n\tCA type: MT4119\n\tNumber of ports: 1\n");
  CHECK(
      lab.out(1, "ethtool -i ibp1s0f0 | grep -E '^(driver|firmware|bus)'") ==
      "driver: mlx5_core[ib_ipoib]\nfirmware-version: 16.35.2000 (MT_0000000008)\nbus-info: "
      "0000:01:00.0\n");
  CHECK(
      lab.out(1, "grep -H . /sys/class/infiniband/*/fw_ver") ==
      "/sys/class/infiniband/ibp1s0f0/fw_ver:16.35.2000\n/sys/class/infiniband/ibp1s0f1/"
      "fw_ver:16.35.2000\n");
  CHECK(
      lab.out(1, "rdma link") ==
      "link ibp1s0f0/1 subnet_prefix fe80:0000:0000:0000 lid 65535 sm_lid 0 lmc 0 state DOWN "
      "physical_state POLLING netdev ibp1s0f0 \nlink ibp1s0f1/1 subnet_prefix fe80:0000:0000:0000 "
      "lid 65535 sm_lid 0 lmc 0 state DOWN physical_state POLLING netdev ibp1s0f1 \n");
}

}  // namespace
}  // namespace fabric::lab
