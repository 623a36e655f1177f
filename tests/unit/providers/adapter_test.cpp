// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST_CASE("a card is its functions together, its ports are told by function", "[providers]") {
  const std::vector<Card> cards = inventory_of(node_facts({{"pci", fixture("pci-cx5.txt")}}));
  REQUIRE(cards.size() == 1);
  const Card& card = cards.front();
  CHECK(card.address.str() == "0000:01:00.0");
  CHECK(card.device_id == 0x1017);
  CHECK(card.driver == "mlx5_core");
  CHECK(card.firmware == "16.35.2000");
  CHECK(card.psid == "MT_0000000008");
  CHECK(card.serial == "MT1234X05678");
  CHECK(card.part_number == "MCX556A-ECAT");
  CHECK(card.text() == "0000:01:00.0 (connectx-5, serial MT1234X05678)");
  CHECK_FALSE(card.shares_function());
  REQUIRE(card.ports.size() == 2);
  const AdapterPort& first = card.ports[0];
  CHECK(first.number == 1);
  CHECK(first.link_layer == LinkLayer::infiniband);
  CHECK(first.netdev == "ibp1s0f0");
  CHECK_FALSE(first.netdev_is_ethernet);
  CHECK_FALSE(first.mac.has_value());
  CHECK(first.rdma_device == "mlx5_0");
  REQUIRE(first.node_guid.has_value());
  CHECK(first.node_guid->str() == "0x0c42a103008c51a8");
  const AdapterPort& second = card.ports[1];
  CHECK(second.number == 2);
  CHECK(second.function.str() == "0000:01:00.1");
  CHECK(second.link_layer == LinkLayer::ethernet);
  CHECK(second.netdev == "enp1s0f1np1");
  CHECK(second.netdev_is_ethernet);
  CHECK(second.mtu == 1500);
  CHECK(second.permanent_mac->str() == "0c:42:a1:8c:51:a9");
}

// Vital product data with one field of the vendor, as hexadecimal digits.
std::string product_data_with(const std::string& field) {
  std::string hex = fmt::format("90{:02x}005633{:02x}", field.size() + 3, field.size());
  for (const char each : field)
    hex += fmt::format("{:02x}", static_cast<unsigned char>(each));
  return hex + "78";
}

TEST_CASE("what manages the NVSwitches of a board is no card of the fabric", "[providers]") {
  const std::string device = "/sys/bus/pci/devices/0000:05:00.0/";
  const auto cards_with = [&](const std::string& field) {
    const std::string more = device + "device:0x1021\n" + device + "driver:mlx5_core\n" + device +
                             "vpd:" + product_data_with(field) + "\n" + device +
                             "infiniband/mlx5_8/node_guid:cc40:f303:0027:f62e\n";
    return inventory_of(node_facts({{"pci", fixture("pci-cx5.txt") + more}})).size();
  };
  CHECK(cards_with("MLX:MN=MLNX:CSKU=V2:MODL=CX75310A:SMDL=SW_MNG") == 1);
  CHECK(cards_with("MLX:MN=MLNX:CSKU=V2:MODL=CX75310A:SMDL=OTHER") == 2);
}

TEST_CASE(
    "two ports behind one function are told by dev_port, a slave by its burnt-in address",
    "[providers]") {
  const std::vector<Card> cards = inventory_of(node_facts({{"pci", fixture("pci-cx3.txt")}}));
  REQUIRE(cards.size() == 1);
  CHECK(cards[0].shares_function());
  REQUIRE(cards[0].ports.size() == 2);
  CHECK(cards[0].ports[0].link_layer == LinkLayer::infiniband);
  CHECK(cards[0].ports[0].netdev == "ib0");
  CHECK(cards[0].ports[1].link_layer == LinkLayer::ethernet);
  CHECK(cards[0].ports[1].netdev == "ens1d1");
  CHECK(cards[0].ports[1].mac->str() == "aa:bb:cc:00:00:01");
  CHECK(cards[0].ports[1].permanent_mac->str() == "24:8a:07:11:22:34");
  CHECK(cards[0].find_port(3) == nullptr);
}

TEST_CASE("each function of a card with four is a port of its own", "[providers]") {
  std::string pci;
  for (const char* number : {"0", "1", "2", "3"}) {
    const std::string at = std::string{"/sys/bus/pci/devices/0000:21:00."} + number + "/";
    const std::string net = at + "net/enp33s0f" + number + "np" + number + "/";
    pci += at + "device:0x1021\n" + at + "class:0x020000\n" + at + "driver:mlx5_core\n" + net +
           "type:1\n" + net + "address:b8:3f:d2:00:00:1" + number + "\n" + net + "mtu:1500\n" +
           net + "dev_port:0\n" + at + "infiniband/mlx5_" + number +
           "/node_guid:b83f:d203:0000:001" + number + "\n" + at + "infiniband/mlx5_" + number +
           "/ports/1/link_layer:Ethernet\n";
  }
  const std::vector<Card> cards = inventory_of(node_facts({{"pci", pci}}));
  REQUIRE(cards.size() == 1);
  REQUIRE(cards[0].ports.size() == 4);
  const Map binding = adapter_binding({{"device_ids", List{0x1021}}});
  for (const int number : {1, 2, 3, 4}) {
    Map of_port = binding;
    of_port.insert_or_assign("port", number);
    const FoundPort found = find_port(cards, of_port);
    REQUIRE(found.port != nullptr);
    CHECK(found.port->netdev == fmt::format("enp33s0f{0}np{0}", number - 1));
    CHECK(found.port->mac->str() == fmt::format("b8:3f:d2:00:00:1{}", number - 1));
  }
  Map fifth = binding;
  fifth.insert_or_assign("port", 5);
  CHECK(find_port(cards, fifth).why == "card 0000:21:00.0 has no port 5");
  // What names one of the others is not the card.
  Map third = binding;
  third.insert_or_assign("mac", "b8:3f:d2:00:00:12");
  CHECK(
      find_card(cards, third).other_port.find("is port 3 of card 0000:21:00.0") !=
      std::string::npos);
}

TEST_CASE("the interface of a port is the one of its link layer", "[providers]") {
  const std::string at = "/sys/bus/pci/devices/0000:00:10.0/";
  const auto netdev = [&](const std::string& name, const std::string& type) {
    return at + "net/" + name + "/type:" + type + "\n" + at + "net/" + name +
           "/address:0c:42:a1:8c:51:a8\n";
  };
  const std::string both = at + "device:0x1017\n" + at + "class:0x020000\n" +
                           netdev("enp0s16f0", "1") + netdev("ibp0s16f0", "32");
  const auto port_with = [&](const std::string& rdma) {
    const std::vector<Card> cards = inventory_of(node_facts({{"pci", both + rdma}}));
    REQUIRE(cards.size() == 1);
    return cards[0].ports.at(0);
  };
  CHECK(port_with("").netdev == "enp0s16f0");
  const AdapterPort port = port_with(at + "infiniband/mlx5_0/ports/1/link_layer:InfiniBand\n");
  CHECK(port.netdev == "ibp0s16f0");
  CHECK_FALSE(port.mac.has_value());
}

TEST_CASE("product data gives what is whole and stops at what is not", "[providers]") {
  const std::string image =
      "9010"
      "00"
      "504e03414243"
      "534e0431323334";
  CHECK(product_data(image).part_number.empty());
  const std::string whole =
      "900d00"
      "504e03414243"
      "534e0431323334"
      "78";
  CHECK(product_data(whole).part_number == "ABC");
  CHECK(product_data(whole).serial == "1234");
  for (std::size_t length = 0; length < whole.size(); ++length)
    product_data(whole.substr(0, length));
  CHECK(product_data("zz").serial.empty());
}

TEST_CASE("an adapter is bound by model, and by any selector in any spelling", "[providers]") {
  const std::vector<Card> cards =
      inventory_of(node_facts({{"pci", fixture("pci-cx5.txt") + fixture("pci-cx3.txt")}}));
  REQUIRE(cards.size() == 2);
  CHECK(find_card(cards, adapter_binding()).card == &cards[0]);
  const std::vector<Map> right{
      {{"pci", "01:00.0"}},
      {{"pci", "0000:01:00.0"}},
      {{"node_guid", "0x0c42a103008c51a8"}},
      {{"node_guid", "0c42:a103:008c:51a8"}},
      {{"serial", "MT1234X05678"}}};
  for (const Map& selector : right) {
    INFO(to_text(selector));
    CHECK(find_card(cards, adapter_binding(selector)).card == &cards[0]);
  }
  const std::vector<Map> wrong{
      {{"pci", "0000:41:00.0"}},
      {{"pci", "nonsense"}},
      {{"serial", "MT"}},
      {{"mac", "0c:42:a1:8c:51:aa"}}};
  for (const Map& selector : wrong) {
    INFO(to_text(selector));
    const FoundCard found = find_card(cards, adapter_binding(selector));
    CHECK(found.card == nullptr);
    CHECK(found.why.find("no card of model connectx-5-vpi with ") == 0);
  }
  CHECK(find_port(cards, adapter_binding({{"port", 2}})).port == &cards[0].ports[1]);
  CHECK(find_port(cards, adapter_binding({{"port", 3}})).why == "card 0000:01:00.0 has no port 3");
}

TEST_CASE("a board in two slots is one card, unless a selector names the slot", "[providers]") {
  const std::string first = fixture("pci-cx5.txt");
  const std::string second = replaced(first, "0000:01:00.", "0000:82:00.");
  const std::vector<Card> board = inventory_of(node_facts({{"pci", first + second}}));
  REQUIRE(board.size() == 2);
  CHECK(find_card(board, adapter_binding()).card == &board[0]);
  CHECK(find_card(board, adapter_binding({{"serial", "MT1234X05678"}})).card == &board[0]);
  CHECK(find_card(board, adapter_binding({{"pci", "82:00.0"}})).card == &board[1]);
  // Two boards, and two whose numbers nobody told.
  std::vector<Card> cards = board;
  cards[1].serial = "MT1234X05679";
  CHECK(find_card(cards, adapter_binding()).card == nullptr);
  cards[0].serial.clear();
  cards[1].serial.clear();
  CHECK(find_card(cards, adapter_binding()).card == nullptr);
}

TEST_CASE("the identity of the card is observed", "[providers]") {
  const Provider provider = adapter_provider();
  const auto observation = observe_one(
      provider,
      resource("pve1/adapter/cx5", adapter_binding(), {}),
      node_facts({{"pci", fixture("pci-cx5.txt")}}));
  CHECK(layers(observation, "pci") == "0000:01:00.0 | - | -");
  CHECK(layers(observation, "firmware") == "16.35.2000 | - | -");
  CHECK(layers(observation, "psid") == "MT_0000000008 | - | -");
  CHECK(layers(observation, "serial") == "MT1234X05678 | - | -");
}

TEST_CASE(
    "what the operator must decide about a card is a finding that lists the cards", "[providers]") {
  const Provider provider = adapter_provider();
  const auto finding = [&provider](const Map& binding, const std::string& pci) {
    Diagnostics diagnostics;
    observe_one(
        provider,
        resource("pve1/adapter/cx5", binding, {}),
        node_facts({{"pci", pci}}),
        diagnostics);
    REQUIRE(diagnostics.items().size() == 1);
    const Diagnostic& item = diagnostics.items().front();
    return std::string{to_string(item.severity)} + " " + item.rule + ": " + item.message;
  };
  const std::string one = fixture("pci-cx5.txt");
  const std::string two = one + replaced(replaced(one, "0000:01:", "0000:81:"), "vpd", "no-vpd");
  CHECK(
      finding(adapter_binding(), two) ==
      "error adapter-ambiguous: pve1: adapter cx5: 2 cards of model connectx-5-vpi: "
      "0000:01:00.0 (connectx-5, serial MT1234X05678), 0000:81:00.0 (connectx-5, node GUID "
      "0x0c42a103008c51a8)");
  CHECK(finding(adapter_binding({{"observe", true}}), two).find("warning adapter-ambiguous") == 0);
  CHECK(
      finding(adapter_binding(), fixture("pci-cx3.txt"))
          .find("error adapter-missing: pve1: adapter cx5: no card of model connectx-5-vpi; the "
                "node has 0000:41:00.0 (") == 0);
  CHECK(finding(adapter_binding(), "").find("; the node has no card") != std::string::npos);
  CHECK(
      finding(adapter_binding({{"ports", 3}}), one).find("expected 3 ports") != std::string::npos);
}

TEST_CASE("firmware is compared as versions and a newer one is no difference", "[providers]") {
  const Provider provider = adapter_provider();
  const auto observed = [&provider](const char* minimum, Diagnostics& diagnostics) {
    return layers(
        observe_one(
            provider,
            resource("pve1/adapter/cx5", adapter_binding(), {{"firmware_minimum", minimum}}),
            node_facts({{"pci", fixture("pci-cx5.txt")}}),
            diagnostics),
        "firmware_minimum");
  };
  Diagnostics none;
  CHECK(observed("16.35.2000", none) == "16.35.2000 | - | -");
  CHECK(observed("16.4.1000", none) == "16.4.1000 | - | -");
  CHECK(none.empty());
  Diagnostics old;
  CHECK(observed("16.35.3006", old) == "unknown (firmware 16.35.2000 is too old) | - | -");
  REQUIRE(old.items().size() == 1);
  CHECK(old.items()[0].rule == "firmware-too-old");
  CHECK(
      old.items()[0].message.find(
          "has firmware 16.35.2000, but the document asks for 16.35.3006 or newer") !=
      std::string::npos);
}

TEST_CASE("without the probe nothing is known and nobody is accused", "[providers]") {
  const Provider provider = adapter_provider();
  NodeFacts facts = node_facts({{"pci", fixture("pci-cx5.txt")}});
  facts.probes["pci"].exit_status = 1;
  const auto observation = observe_one(
      provider,
      resource("pve1/adapter/cx5", adapter_binding(), {{"firmware_minimum", "16.1.1"}}),
      facts);
  CHECK(layers(observation, "pci") == "unknown (the PCI devices could not be read) | - | -");
  CHECK(
      layers(observation, "firmware_minimum") ==
      "unknown (the PCI devices could not be read) | - | -");
}

TEST_CASE(
    "what the firmware does beside what a document wants is told where it is on", "[providers]") {
  const auto observation = [](const std::string& rows) {
    const NodeFacts facts = node_facts(
        {{"pci", fixture("pci-cx5.txt")},
         {"mlxconfig",
          "== tool mstconfig\n== version mstconfig, mstflint 4.21.0\n== card 0000:01:00.0\n\n"
          "Device #1:\n----------\n\nDevice type:    ConnectX5\nDevice:         0000:01:00.0\n\n"
          "Configurations:    Default Current Next Boot\n" +
              rows + "\n\n== status 0\n"}});
    Diagnostics diagnostics;
    const Resource adapter = resource("pve1/adapter/cx5", adapter_binding(), {});
    return adapter_provider().observe({&adapter, 1}, facts, diagnostics).front();
  };
  const Observation off = observation(" LLDP_NB_RX_MODE_P1 ALL(2) OFF(0) ALL(2)");
  CHECK_FALSE(off.attributes.contains("lldp_in_firmware"));
  CHECK_FALSE(off.attributes.contains("dpu_mode"));
  const Observation on = observation(
      " LLDP_NB_RX_MODE_P1 ALL(2) ALL(2) OFF(0)\n LLDP_NB_RX_MODE_P2 OFF(0) MANDATORY(1) OFF(0)\n"
      " INTERNAL_CPU_MODEL EMBEDDED_CPU(1) EMBEDDED_CPU(1) EMBEDDED_CPU(1)\n"
      " INTERNAL_CPU_OFFLOAD_ENGINE ENABLED(0) ENABLED(0) ENABLED(0)");
  CHECK(on.attributes.at("lldp_in_firmware").running->equals("1, 2"));
  CHECK(on.attributes.at("dpu_mode").running->equals(true));
  const Observation plain = observation(
      " INTERNAL_CPU_MODEL EMBEDDED_CPU(1) EMBEDDED_CPU(1) EMBEDDED_CPU(1)\n"
      " INTERNAL_CPU_OFFLOAD_ENGINE ENABLED(0) DISABLED(1) DISABLED(1)");
  CHECK_FALSE(plain.attributes.contains("dpu_mode"));
}

}  // namespace
}  // namespace fabric::providers
