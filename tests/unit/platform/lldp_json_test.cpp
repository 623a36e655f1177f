// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/link_tools/lldp_json.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/catch.hpp"

namespace fabric::platform {

TEST_CASE("json0 gives a neighbour per interface", "[platform]") {
  const auto found = parse_lldp_json(R"({"lldp": [{"interface": [
      {"name": "ens1f0", "via": "LLDP", "rid": "1",
       "chassis": [{"id": [{"type": "mac", "value": "0c:42:a1:00:02:01"}], "name": [{"value": "pve2.example"}]}],
       "port": [{"id": [{"type": "ifname", "value": "ens1f1"}], "descr": [{"value": "ens1f1np1"}]}]},
      {"name": "ens1f1", "via": "LLDP",
       "chassis": [{"id": [{"type": "local", "value": "42"}]}],
       "port": [{"id": [{"type": "local", "value": "7"}]}]}]}]})");
  REQUIRE(found);
  REQUIRE(found->size() == 2);
  CHECK(
      (*found)[0] == Neighbour{
                         "ens1f0",
                         "LLDP",
                         "pve2.example",
                         "mac",
                         "0c:42:a1:00:02:01",
                         "ifname",
                         "ens1f1",
                         "ens1f1np1"});
  CHECK((*found)[1] == Neighbour{"ens1f1", "LLDP", "", "local", "42", "local", "7", ""});
}

TEST_CASE("a daemon that heard nobody gives no neighbours", "[platform]") {
  for (const char* text : {R"({"lldp": [{}]})", R"({"lldp": []})", R"({"lldp": {}})"}) {
    const auto found = parse_lldp_json(text);
    REQUIRE(found);
    CHECK(found->empty());
  }
}

TEST_CASE("plain json, with its objects in place of lists, says the same", "[platform]") {
  const auto found = parse_lldp_json(R"({"lldp": {"interface": {"eth0": {"via": "LLDP",
      "chassis": {"leaf1": {"id": {"type": "mac", "value": "00:00:00:00:00:02"}}},
      "port": {"id": {"type": "ifname", "value": "Eth1/7"}, "descr": "to pve1"}}}}})");
  REQUIRE(found);
  REQUIRE(found->size() == 1);
  CHECK(
      (*found)[0] ==
      Neighbour{
          "eth0", "LLDP", "leaf1", "mac", "00:00:00:00:00:02", "ifname", "Eth1/7", "to pve1"});
}

TEST_CASE("what is not lldpcli's answer is refused", "[platform]") {
  CHECK_FALSE(parse_lldp_json("unable to connect to socket"));
  CHECK_FALSE(parse_lldp_json("[]"));
  CHECK_FALSE(parse_lldp_json(""));
  CHECK(parse_lldp_json("{}").error().code == ErrorCode::invalid);
}

TEST_CASE("lldpd's own samples are read", "[platform]") {
  const std::filesystem::path folder = FABRIC_SOURCE_DIR "/../shared/domain/captures/lldp";
  for (const char* name : {"json0_output-neighbors.json", "json_output-neighbors.json"}) {
    std::ifstream file{folder / name};
    if (!file) continue;
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto found = parse_lldp_json(text);
    REQUIRE(found);
    REQUIRE(found->size() == 1);
    CHECK((*found)[0].chassis_name == "ns-2.example.com");
    CHECK((*found)[0].port_description == "eth1");
  }
}

// Of other tools and in other forms too: those are refused with a line.
TEST_CASE("every data set of LLDP is read, or refused with its line", "[platform]") {
  const std::filesystem::path domain = FABRIC_SOURCE_DIR "/../shared/domain";
  for (const char* folder : {"captures/lldp", "datasets/lldp"}) {
    if (!std::filesystem::is_directory(domain / folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator{domain / folder}) {
      const std::string name = entry.path().filename().string();
      INFO(name);
      std::ifstream file{entry.path()};
      const auto found = parse_lldp_json(std::string{std::istreambuf_iterator<char>{file}, {}});
      const bool other = name == "suzieq-eos.json" || name.ends_with(".txt");
      CHECK(found.has_value() == !other);
      if (found) CHECK_FALSE(found->empty());
      if (!found) CHECK(found.error().message.find("line 1") == 0);
    }
  }
}

}  // namespace fabric::platform
