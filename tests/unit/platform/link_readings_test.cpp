// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/link/link_readings.hpp"

#include <cmath>
#include <set>
#include <string>

#include "engine/platform/link_tools/link_tools.hpp"

#include "tests/support/catch.hpp"

namespace fabric::platform::test {
namespace {

TEST_CASE("modes on several lines belong to the key above them", "[platform]") {
  const auto settings = parse_link_settings(
      "Settings for eth0:\n\tSupported link modes:   1000baseKX/Full\n"
      "\t                        40000baseCR4/Full\n\t                        25000baseCR/Full\n"
      "\tAdvertised link modes:  100000baseCR4/Full\n\tSpeed: 25000Mb/s\n"
      "\tAuto-negotiation: off\n\tLink detected: yes\n");
  REQUIRE(settings);
  CHECK(settings->capable_mbps == 40'000);
  CHECK(settings->speed_mbps == 25'000);
  CHECK(settings->auto_negotiation == false);
  CHECK(settings->has_link == true);
}

TEST_CASE("a port without a link has no speed, and one without modes no capability", "[platform]") {
  const auto settings = parse_link_settings(
      "Settings for eth0:\n\tSupported link modes:   Not reported\n\tSpeed: Unknown!\n"
      "\tLink detected: no\n");
  REQUIRE(settings);
  CHECK_FALSE(settings->speed_mbps);
  CHECK_FALSE(settings->capable_mbps);
  CHECK(settings->has_link == false);
}

TEST_CASE("what is no output of a tool is refused with its line", "[platform]") {
  CHECK(
      parse_link_settings("\nnetlink error: Operation not supported\n").error().message ==
      "line 2: expected 'Settings for ...', found 'netlink error: Operation not supported'");
  CHECK_FALSE(parse_fec("netlink error: Operation not supported\n"));
  CHECK_FALSE(parse_module(""));
  CHECK_FALSE(parse_mlxlink("-E- Failed to open device\n"));
}

TEST_CASE("FEC is read in the words of old and new releases", "[platform]") {
  const auto now = parse_fec(
      "FEC parameters for eth0:\nSupported/Configured FEC encodings: Auto RS BaseR\n"
      "Active FEC encoding: RS\nStatistics:\n  corrected_blocks: 7\n  uncorrectable_blocks: 2\n");
  REQUIRE(now);
  CHECK(now->active == "RS");
  CHECK(now->configured == std::vector<std::string>{"Auto", "RS", "BaseR"});
  CHECK(now->uncorrectable_blocks == 2);
  const auto before = parse_fec(
      "FEC parameters for eth0:\nConfigured FEC encodings: None\nActive FEC encoding: None\n");
  REQUIRE(before);
  CHECK(before->active == "Off");
  CHECK(before->configured.empty());
}

TEST_CASE("an optical module has power and temperature, copper has neither", "[platform]") {
  const auto optical = parse_module(
      "Identifier                                : 0x11 (QSFP28)\n"
      "Length (Copper or Active cable)           : 50m\n"
      "Transmitter technology                    : 0x00 (850 nm VCSEL)\n"
      "Vendor SN                                 : A1\n"
      "Module temperature                        : 71.25 degrees C / 160.25 degrees F\n"
      "Rcvr signal avg optical power(Channel 1)  : 0.7457 mW / -1.27 dBm\n"
      "Rcvr signal avg optical power(Channel 2)  : 0.0000 mW / -inf dBm\n"
      "Laser rx power low alarm    (Channel 2)   : On\n"
      "Module temperature high warning threshold : 0.00 degrees C / 32.00 degrees F\n"
      "Laser rx power low warning threshold      : 0.0000 mW / -inf dBm\n");
  REQUIRE(optical);
  CHECK_FALSE(optical->copper);
  CHECK_FALSE(optical->cable_metres);
  CHECK(optical->temperature == 71.25);
  CHECK_FALSE(optical->temperature_most);  // thresholds of 0 are none
  CHECK_FALSE(optical->received_least);
  REQUIRE(optical->received_dbm.size() == 2);
  CHECK(optical->received_dbm[0] == -1.27);
  CHECK(std::isinf(optical->received_dbm[1]));
  CHECK(optical->alarms == std::vector<std::string>{"Laser rx power low alarm (Channel 2)"});
  const auto copper = parse_module(
      "Identifier                                : 0x03 (SFP)\n"
      "Connector                                 : 0x21 (Copper pigtail)\n"
      "Transceiver type                          : Passive Cable\n"
      "Length (Copper or Active cable)           : 5m\n");
  REQUIRE(copper);
  CHECK(copper->cable_metres == 5.0);
  CHECK(copper->copper);
  CHECK_FALSE(copper->temperature);
  CHECK(copper->received_dbm.empty());
}

TEST_CASE("a module that tells the card no values has none", "[platform]") {
  const std::string head = "State                              : Active \n";
  const auto copper = parse_mlxlink(
      head +
      "Temperature [C]                    : 0 [0..0]\n"
      "Rx Power Current [dBm]             : 0,0,0,0 [0..0]\n"
      "Identifier                         : OSFP\n"
      "Cable Technology                   : Copper cable, passive, unequalized\n"
      "Effective Physical BER             : 15E-255\n"
      "Raw Physical BER                   : 3E-04\n");
  REQUIRE((copper && copper->module));
  CHECK(copper->module->copper);
  CHECK_FALSE(copper->module->temperature);
  CHECK(copper->module->received_dbm.empty());
  CHECK(copper->effective_ber == 0.0);
  CHECK(copper->raw_ber == 3e-4);
  const auto optical = parse_mlxlink(
      head +
      "Temperature [C]                    : \033[31m81\033[0m [-10..75]\n"
      "Rx Power Current [dBm]             : -0.5,-13 [-12..6]\n"
      "Identifier                         : QSFP28\n"
      "Cable Technology                   : 850 nm VCSEL\n");
  REQUIRE((optical && optical->module));
  CHECK(optical->module->temperature_most == 75);
  CHECK(optical->module->received_least == -12);
  CHECK(optical->module->received_dbm == std::vector<double>{-0.5, -13});
}

TEST_CASE("the links of a host are taken apart by interface", "[platform]") {
  const LinkReadings readings = parse_link_readings(
      "a banner\nlink before\nfabric-links\nlink eth0\nsettings Settings for eth0:\n"
      "settings \tSpeed: 25000Mb/s\nsettings \tLink detected: yes\n"
      "pcie current_link_speed:8.0 GT/s PCIe\npcie current_link_width:8\n"
      "pcie max_link_speed:16.0 GT/s PCIe\npcie max_link_width:16\npcie numa_node:-1\n"
      "pcie aer_dev_correctable:RxErr 3\npcie aer_dev_correctable:TOTAL_ERR_COR 3\n"
      "pcie aer_dev_nonfatal:TOTAL_ERR_NONFATAL 1\npcie aer_dev_fatal:TOTAL_ERR_FATAL 1\n"
      "slot max_link_speed:8.0 GT/s PCIe\nslot max_link_width:8\n"
      "card State                              : Polling \n"
      "card Status Opcode                      : 1024 \n"
      "card Recommendation                     : Cable is unplugged \n"
      "link eth1\nmodule netlink error: Operation not supported\n"
      "card Status Opcode : 2\ncard State : Polling\ncard Speed : N/A\n"
      "card Recommendation : Negotiation failure\n");
  REQUIRE(readings.links.size() == 2);
  const LinkReading& first = readings.links[0];
  CHECK(first.interface == "eth0");
  CHECK(first.speed_mbps == 25'000);
  CHECK(first.pcie.generation == 3);
  CHECK(first.pcie.width == 8);
  CHECK(first.pcie.most_generation == 4);
  CHECK(first.pcie.slot_width == 8);
  CHECK_FALSE(first.pcie.numa_node);
  CHECK(first.pcie.correctable == 3);
  CHECK(first.pcie.uncorrectable == 2);
  CHECK(first.why_down.empty());  // the kernel says that there is a link
  CHECK(readings.links[1].why_down == "Negotiation failure");
  CHECK_FALSE(readings.links[1].module);
  CHECK_FALSE(parse_link_readings("sh: not found\n").why_not.empty());
}

TEST_CASE("a card in a chain tells which priorities it has no buffers for", "[platform]") {
  const auto without = [](const std::string& rows) {
    const LinkReadings readings = parse_link_readings("fabric-links\nlink ens1f0np0\n" + rows);
    REQUIRE(readings.links.size() == 1);
    return readings.links.front().chaining_without_buffers;
  };
  using Priorities = std::set<std::uint32_t>;
  // What runs counts, where the tool tells it.
  CHECK(
      without("chaining Configurations:  Default  Current  Next Boot\n"
              "chaining         HOST_CHAINING_DESCRIPTORS[0]  7 7 0\n"
              "chaining *        HOST_CHAINING_DESCRIPTORS[3]  7 0 7\n"
              "chaining         HOST_CHAINING_TOTAL_BUFFER_SIZE[5]  7 0 0\n") == Priorities{3, 5});
  CHECK(without("chaining         HOST_CHAINING_DESCRIPTORS[2]  0\n") == Priorities{2});
  CHECK(without("chaining         HOST_CHAINING_DESCRIPTORS  Array[0..7]\n").empty());
  CHECK(without("chaining -E- The Device doesn't support HOST_CHAINING_DESCRIPTORS[0] parameter\n")
            .empty());
}

}  // namespace
}  // namespace fabric::platform::test
