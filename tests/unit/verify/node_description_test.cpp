// SPDX-License-Identifier: Apache-2.0
// Node descriptions in the forms that subnets have.
#include "engine/subnet/node_description.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

std::string adapter(std::string_view description) {
  const AdapterDescription described = describe_adapter(description);
  return described.host + "|" + described.device;
}

std::string a_switch(std::string_view description) {
  const SwitchDescription described = describe_switch(description);
  std::string text = described.name + "|" + described.model;
  if (described.module_kind == '\0') return text;
  return text + "|" + described.module_kind + std::to_string(described.module) + "/" +
         std::to_string(described.asic);
}

TEST_CASE("an adapter's description names its host and often its device", "[verify][wire]") {
  CHECK(adapter("Luna-0560 mlx5_9") == "luna-0560|mlx5_9");
  CHECK(adapter("cache-02 mlx5_1 ") == "cache-02|mlx5_1");
  CHECK(adapter("SAT0927 ibp213s0f0") == "sat0927|ibp213s0f0");
  CHECK(adapter("node1.example.org HCA-6") == "node1.example.org|hca-6");
  CHECK(adapter("swlab225 HCA-1 (Topspin HCA)") == "swlab225|hca-1");
  CHECK(adapter("gw1 mlx4_0 (Voltaire 500 Ex)") == "gw1|mlx4_0");
  CHECK(adapter("node1.mlx5_0") == "node1|mlx5_0");
  CHECK(adapter("c7.example.org.hca-2") == "c7.example.org|hca-2");
  CHECK(adapter("n7.rocep65s0") == "n7|rocep65s0");
  CHECK(adapter("node01.devops.test") == "node01.devops.test|");
  CHECK(adapter("n1 rxe1") == "n1|rxe1");
  CHECK(adapter("") == "|");
}

TEST_CASE("the text that a card came with names no host", "[verify][wire]") {
  CHECK(adapter("MT4123 ConnectX6   Mellanox Technologies") == "|");
  CHECK(adapter("MT4129 ConnectX7 Mellanox Technologies") == "|");
  CHECK(adapter("MT23108 InfiniHost Mellanox Technologies") == "|");
  CHECK(adapter("rxe") == "|");
  // But a host may have such a name.
  CHECK(adapter("mt4123 mlx5_0") == "|");
  CHECK(adapter("mt4123") == "mt4123|");
  CHECK(is_aggregation_node("Mellanox Technologies Aggregation Node"));
  CHECK(is_aggregation_node("Quantum-2 AGGREGATION NODE"));
  CHECK_FALSE(is_aggregation_node("node1 mlx5_0"));
}

TEST_CASE(
    "a switch's description names it, its model and its place in a director", "[verify][wire]") {
  CHECK(a_switch("MF0;LEAF1:MQM8700/U1") == "leaf1|mqm8700");
  CHECK(a_switch(" leaf1 ") == "leaf1|");
  CHECK(a_switch("MF0;dir-A:MCS8500/L20/U2") == "dir-a|mcs8500|l20/2");
  CHECK(a_switch("MF0;dir-A:MCS8500/S01/U1") == "dir-a|mcs8500|s1/1");
  CHECK(a_switch("SwitchX -  Mellanox Technologies") == "switchx -  mellanox technologies|switchx");
}

TEST_CASE("two names of one scheme are two devices", "[verify][wire]") {
  CHECK(device_scheme("mlx5_3") == DeviceScheme::driver);
  CHECK(device_scheme("hca-3") == DeviceScheme::hca);
  CHECK(device_scheme("ibp11s0f0") == DeviceScheme::path);
  CHECK(device_scheme("ibs3f0") == DeviceScheme::slot);
  CHECK(device_scheme("rocep65s0") == DeviceScheme::path);
  CHECK(device_scheme("roces5") == DeviceScheme::slot);
  CHECK(device_scheme("ib0") == DeviceScheme::other);
  CHECK(device_scheme("hca-x") == DeviceScheme::other);
}

TEST_CASE("the label of a host is its name without its domain", "[verify][wire]") {
  CHECK(host_label("Node1.example.org") == "node1");
  CHECK(host_label("10.1.2.3") == "10.1.2.3");
}

}  // namespace
}  // namespace fabric
