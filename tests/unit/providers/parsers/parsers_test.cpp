// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"

namespace fabric::providers {
namespace {

Result<Value> parse(std::string_view kind, std::string_view text) {
  const auto found = std::find_if(parsers().begin(), parsers().end(), [kind](const Parser& parser) {
    return parser.kind == kind;
  });
  REQUIRE(found != parsers().end());
  return found->parse(text);
}

bool may_be_empty(std::string_view kind) {
  return kind == "dcb-app" || kind == "esxcli-rdma-list" || kind == "esxcli-vf-list" ||
         kind == "esxcli-vswitch-list" || kind == "ibstat" || kind == "ibv-devinfo" ||
         kind == "ifcfg" || kind == "interfaces" || kind == "opensm-conf" || kind == "opensm-log" ||
         kind == "partitions-conf";
}

TEST_CASE("parsers are in order of kind and refuse garbage with its line", "[providers]") {
  for (std::size_t index = 0; index < parsers().size(); ++index) {
    const Parser& parser = parsers()[index];
    INFO(parser.kind);
    if (index > 0) CHECK(parsers()[index - 1].kind < parser.kind);
    for (const char* text :
         {"", "\n\n", "garbage", "[", "{\"a\": 1}", "Configurations:", "-E- no device\n"}) {
      INFO(text);
      const auto value = parser.parse(text);
      // A file without content and a tool that found no device are no garbage.
      if (trim(text).empty() && may_be_empty(parser.kind)) {
        CHECK(value.has_value());
        continue;
      }
      REQUIRE_FALSE(value);
      CHECK(value.error().code == ErrorCode::invalid);
      CHECK(value.error().message.find("line ") == 0);
    }
  }
}

TEST_CASE("a settings query becomes JSON with text and number of each value", "[providers]") {
  const auto value =
      parse("mlxconfig-query", "Configurations:  Current Next Boot\n* LINK_TYPE_P1 IB(1) ETH(2)\n");
  REQUIRE(value);
  CHECK(
      to_json(*value) ==
      R"j({"devices":[{"columns":["current","next_boot"],"description":"","device":"","device_type":"","name":"",)j"
      R"j("parameters":{"LINK_TYPE_P1":{"current":{"number":1,"text":"IB(1)"},"marked":true,)j"
      R"j("next_boot":{"number":2,"text":"ETH(2)"},"read_only":false}}}],"notes":[]})j");
}

TEST_CASE("links of ip become JSON, empty elements skipped", "[providers]") {
  const auto value = parse(
      "ip-link-json",
      R"j([{},{"ifindex":4,"ifname":"enp1s0f0np0","flags":["BROADCAST","UP"],"mtu":9000,"max_mtu":9978,)j"
      R"j("operstate":"UP","link_type":"ether","address":"0c:42:a1:00:00:01","master":"bond0",)j"
      R"j("linkinfo":{"info_slave_kind":"bond"},"addr_info":[{},)j"
      R"j({"family":"inet","local":"10.30.0.1","prefixlen":24,"scope":"global"}]}])j");
  REQUIRE(value);
  CHECK(
      to_json(*value) ==
      R"j({"links":[{"address":"0c:42:a1:00:00:01","addresses":[{"address":"10.30.0.1/24","dynamic":false,)j"
      R"j("family":"inet","scope":"global"}],"admin_up":true,"index":4,"link_type":"ether","master":"bond0",)j"
      R"j("max_mtu":9978,"mtu":9000,"name":"enp1s0f0np0","operstate":"UP","slave_kind":"bond"}]})j");
  const auto refused = parse("ip-link-json", R"j([{"ifname":"eth0","mtu":"big"}])j");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "line 1: link 1: 'mtu' of eth0 is no integer");
}

TEST_CASE("mstflint tells firmware and PSID", "[providers]") {
  const auto value = parse(
      "mstflint-query",
      "Image type:            FS4\nFW Version:            16.35.2000\nFW Version(Running):   "
      "16.32.1010\n"
      "Rom Info:              type=UEFI version=14.36.16 cpu=AMD64\n                       "
      "type=PXE version=3.7.500\n"
      "Description:           UID                GuidsNumber\nBase GUID:             "
      "e09d730300126474        16\n"
      "PSID:                  MT_0000000008\n");
  REQUIRE(value);
  CHECK(value->string_or_empty("fw_version") == "16.35.2000");
  CHECK(value->string_or_empty("fw_version_running") == "16.32.1010");
  CHECK(value->string_or_empty("psid") == "MT_0000000008");
  CHECK(value->string_or_empty("base_guid") == "e09d730300126474");
  CHECK(*value->find("base_guid_count") == Value{16});
}

TEST_CASE("ethtool tells firmware and PSID apart", "[providers]") {
  const auto value = parse(
      "ethtool-i",
      "driver: mlx5_core\nversion: 6.8.12\nfirmware-version: 16.35.2000 (MT_0000000008)\nbus-info: "
      "0000:5e:00.0\n");
  REQUIRE(value);
  CHECK(value->string_or_empty("firmware_version") == "16.35.2000");
  CHECK(value->string_or_empty("psid") == "MT_0000000008");
  CHECK(value->string_or_empty("bus_info") == "0000:5e:00.0");
}

TEST_CASE("lspci tells the PCIe link, with and without the newer notes", "[providers]") {
  const auto value = parse(
      "lspci-link",
      "5e:00.0 Ethernet controller: Mellanox Technologies MT27800 Family [ConnectX-5]\n"
      "\t\tLnkCap:\tPort #0, Speed 8GT/s, Width x16, ASPM not supported\n"
      "\t\tLnkSta:\tSpeed 8GT/s (ok), Width x8 (downgraded)\n"
      "5f:00.0 Ethernet controller: other\n\t\tLnkSta:\tSpeed 8GT/s, Width x8, TrErr- Train-\n");
  REQUIRE(value);
  CHECK(
      to_json(*value) ==
      R"j({"devices":[{"capable":{"speed":"8GT/s","width":16},"pci":"5e:00.0",)j"
      R"j("status":{"speed":"8GT/s","speed_note":"ok","width":8,"width_note":"downgraded"}},)j"
      R"j({"pci":"5f:00.0","status":{"speed":"8GT/s","width":8}}]})j");
}

}  // namespace
}  // namespace fabric::providers
