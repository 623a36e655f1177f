// SPDX-License-Identifier: Apache-2.0
// What `nv ... -o json` prints on Cumulus Linux and NVOS.
#include "providers/nvue/parsers/nvue_json.hpp"

#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"

namespace fabric::providers {
namespace {

template <class T>
std::string refusal(const Result<T>& result) {
  return result ? "read" : result.error().message;
}

constexpr const char* kPorts = R"({
  "eth0": {"link": {"mtu": 1500, "oper-status": "up"}, "type": "eth"},
  "lo": {"link": {"oper-status": "unknown", "state": {"up": {}}}, "type": "loopback"},
  "swp1": {
    "link": {
      "admin-status": "up",
      "mac-address": "44:38:39:00:11:01",
      "mtu": 9216,
      "oper-status": "down",
      "state": {"up": {}},
      "stats": {"in-bytes": 293771538, "in-errors": 0}
    },
    "parent": "bond1",
    "type": "swp"
  },
  "swp2": {"link": {"admin-status": "down", "mtu": "9000", "speed": "100G", "state": {"protodown": {}}}}
})";

TEST_CASE("ports of a switch are read as they run", "[providers]") {
  const auto ports = parse_nvue_interfaces(kPorts);
  INFO(refusal(ports));
  REQUIRE(ports);
  REQUIRE(ports->size() == 4);
  CHECK_FALSE(ports->at(0).enabled.has_value());
  CHECK_FALSE(ports->at(1).up.has_value());  // "unknown" is no state of a port
  const NvueInterface& one = ports->at(2);
  CHECK(one.name == "swp1");
  CHECK(one.enabled == true);
  CHECK(one.up == false);  // as it runs, not as it was asked for
  CHECK(one.mtu == 9216U);
  CHECK(one.parent == "bond1");
  CHECK(one.speed.empty());
  CHECK(one.counters.at("in-bytes") == 293771538);
  const NvueInterface& two = ports->at(3);
  CHECK(two.state == "protodown");
  CHECK(two.up == false);
  CHECK(two.enabled == false);
  CHECK(two.mtu == 9000U);
}

TEST_CASE("an InfiniBand port tells its states, and why it is down", "[providers]") {
  const auto ports = parse_nvue_interfaces(
      R"({"sw1p1": {"link": {"state": {"down": {}}, "mtu": 4096, "ib-speed": "ndr", "lanes": "4X",
        "physical-state": "Polling", "logical-state": "Down",
        "diagnostics": {"1024": {"status": "Cable is unplugged"}, "57": "Signal not detected"},
        "counters": {"in-symbol-errors": 3}}, "type": "ib"}})");
  REQUIRE(ports);
  const NvueInterface& port = ports->front();
  CHECK(port.physical_state == "Polling");
  CHECK(port.logical_state == "Down");
  CHECK(port.lanes == "4X");
  CHECK(port.ib_speed == "ndr");
  CHECK(port.diagnostics.at("1024") == "Cable is unplugged");
  CHECK(port.diagnostics.at("57") == "Signal not detected");
  CHECK(port.counters.at("in-symbol-errors") == 3);
}

TEST_CASE("lines before the JSON are passed over, and still counted", "[providers]") {
  CHECK(parse_nvue_interfaces("\x1b[?2004l\r\nCurrently pending revision 4\n{}"));
  CHECK(refusal(parse_nvue_interfaces("2004l\n{\n  \"swp1\": {]\n}")).starts_with("line 3, "));
  CHECK(
      refusal(parse_nvue_interfaces("Error: CLI is unavailable\n")) ==
      "line 1: expected JSON, found 'Error: CLI is unavailable'");
  CHECK(refusal(parse_nvue_interfaces("")) == "line 1: the answer is empty");
}

TEST_CASE("what has not its form is refused with its line", "[providers]") {
  CHECK(
      refusal(parse_nvue_interfaces("{\n \"swp1\": {\n  \"link\": {\n   \"mtu\": \"big\"}}}")) ==
      R"(line 4: swp1.link.mtu: expected a number, found "big")");
  CHECK(
      refusal(parse_nvue_interfaces("{\"swp1\":\n {\"link\": {\"mtu\": -1}}}")) ==
      "line 2: swp1.link.mtu: expected bytes, found -1");
  CHECK(
      refusal(parse_nvue_interfaces("{\n\"swp1\": [1]}")) ==
      "line 2: swp1: expected an object, found [1]");
  CHECK(refusal(parse_nvue_interfaces("[]")).starts_with("line 1: interface: expected an object"));
  // Cut short anywhere.
  const std::string whole = kPorts;
  for (std::size_t end = 0; end < whole.size(); ++end) {
    INFO(end);
    CHECK(refusal(parse_nvue_interfaces(whole.substr(0, end))).starts_with("line "));
  }
}

TEST_CASE("names of ranges are meant one by one", "[providers]") {
  using Names = std::vector<std::string>;
  CHECK(nvue_names("swp1-3") == Names{"swp1", "swp2", "swp3"});
  CHECK(nvue_names("swp1,swp7-8") == Names{"swp1", "swp7", "swp8"});
  CHECK(nvue_names("10-12,20") == Names{"10", "11", "12", "20"});
  CHECK(nvue_names("swp1s0-1") == Names{"swp1s0", "swp1s1"});
  CHECK(nvue_names("peerlink.4094") == Names{"peerlink.4094"});
  CHECK(nvue_names("to-spine") == Names{"to-spine"});
  CHECK(nvue_names("rack7-") == Names{"rack7-"});
  CHECK(nvue_names("swp9-1") == Names{"swp9-1"});
  CHECK(nvue_names("swp1-99999999") == Names{"swp1-99999999"});
}

TEST_CASE("a configuration is one tree, with ranges taken apart", "[providers]") {
  const auto tree = parse_nvue_config(
      R"([{"header": {"rev-id": 4}},
          {"set": {"interface": {"swp1-2": {"type": "swp"}, "bond1,swp2": {"bridge": {"domain": {"br_default": {}}}},
                                 "bond1": {"bond": {"member": {"swp7-8": {}}}}},
                   "bridge": {"domain": {"br_default": {"vlan": {"10,20": {}}}}}}}])");
  INFO(refusal(tree));
  REQUIRE(tree);
  CHECK(
      to_json(*tree) ==
      R"({"bridge":{"domain":{"br_default":{"vlan":{"10":{},"20":{}}}}},)"
      R"("interface":{"bond1":{"bond":{"member":{"swp7":{},"swp8":{}}},"bridge":{"domain":{"br_default":{}}}},)"
      R"("swp1":{"type":"swp"},"swp2":{"bridge":{"domain":{"br_default":{}}},"type":"swp"}}})");
  CHECK(to_json(*parse_nvue_config("[]")) == "{}");
  CHECK(to_json(*parse_nvue_config(R"([{"header": {}}])")) == "{}");
  CHECK(
      refusal(parse_nvue_config(R"([{"set": 7}])")) == "line 1: set: expected an object, found 7");
}

TEST_CASE("revisions, neighbours, pairs, RoCE and releases are read", "[providers]") {
  const auto revisions = parse_nvue_revisions(
      R"({"4": {"state": "confirm", "user": "cumulus"},
          "changeset/root/2021-11-02": {"state": "applied", "additional-data": {"user": "root"}}})");
  REQUIRE(revisions);
  CHECK(revisions->at(0).state == "confirm");
  CHECK(revisions->at(1).user == "root");
  CHECK(
      refusal(parse_nvue_revisions("{\n\"4\": {}}")) ==
      "line 2: 4.state: expected a word, found nothing");

  const auto neighbours = parse_nvue_lldp(
      R"({"swp1": {"lldp": {"neighbor": {"s1": {"chassis": {"system-name": "s1.example.com"},
          "port": {"name": "enp1s0f0np0", "type": "ifname"}}}}}, "swp2": {}})");
  REQUIRE(neighbours);
  REQUIRE(neighbours->size() == 1);
  CHECK(neighbours->front().system_name == "s1.example.com");
  CHECK(neighbours->front().remote_port == "enp1s0f0np0");

  const auto mlag = parse_nvue_mlag(
      R"({"enable": "on", "mac-address": "44:38:39:FF:00:AA", "peer-alive": true})");
  REQUIRE(mlag);
  CHECK(mlag->enabled == true);
  CHECK(mlag->system_mac == "44:38:39:ff:00:aa");
  CHECK(mlag->peer_alive == true);
  CHECK_FALSE(mlag->backup_active.has_value());
  CHECK_FALSE(parse_nvue_mlag("{}")->enabled.has_value());

  CHECK(parse_nvue_roce(R"({"mode": "lossless"})")->mode == "lossless");
  CHECK(parse_nvue_roce("{}")->mode.empty());

  CHECK(
      parse_nvue_version(R"({"product-release": "5.16.0", "kernel": "6.1.0-cl-1-amd64"})")
          ->release == "5.16.0");
  CHECK(parse_nvue_version(R"({"build": "Cumulus Linux 5.4.0"})")->release == "5.4.0");
  const auto nvos = parse_nvue_version(R"({"image": "nvos-25.02.4002", "kernel": "5.10.0"})");
  REQUIRE(nvos);
  CHECK(nvos->product == "nvos");
  CHECK(nvos->release == "25.02.4002");
}

}  // namespace
}  // namespace fabric::providers
