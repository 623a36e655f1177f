// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/value/lists.hpp"
#include "providers/cards/observe_cards.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esxi/kinds/cards.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"

namespace fabric::providers::esxi {

namespace {

Value card_value(const EsxCard& found) {
  const Card& card = found.card;
  List ports;
  for (const AdapterPort& port : card.ports) {
    Map map{{"number", std::int64_t{port.number}}, {"pci", port.function.str()}};
    if (!port.netdev.empty()) map.emplace("nic", port.netdev);
    ports.emplace_back(std::move(map));
  }
  Map map{
      {"pci", card.address.str()},
      {"device_id", fmt::format("{:04x}", card.device_id)},
      {"module", found.module},
      {"passed_through", found.passed_through},
      {"ports", std::move(ports)}};
  if (!found.mst.empty()) map.emplace("mst", found.mst);
  if (found.firmware_unknown.empty()) {
    map.emplace("firmware", card.firmware);
    map.emplace("psid", card.psid);
  } else {
    map.emplace("firmware", Map{{"unknown", found.firmware_unknown}});
  }
  return map;
}

Value cards_value(const NodeFacts& facts) {
  const Result<std::vector<EsxCard>> cards = cards_of(facts);
  if (!cards) return unknown(cards.error());
  return to_list(*cards, card_value);
}

// The list `key` of what `parse` reads.
template <auto parse>
Value list_of(const NodeFacts& facts, std::string_view probe, std::string_view key) {
  const Result<std::string_view> text = answer(facts, probe);
  if (!text) return unknown(text.error());
  const auto parsed = parse(*text);
  if (!parsed) return unknown(with_context(parsed.error(), std::string{probe}));
  return *to_value(*parsed).find(key);
}

std::vector<Probe> probes_of_adapter() {
  std::vector<Probe> probes = card_probes();
  probes.push_back({"esxi-rdma", "esxcli --formatter=keyvalue rdma device list\n"});
  return probes;
}

std::vector<Observation> observe_adapter(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const Result<std::vector<EsxCard>> found = cards_of(facts);
  const std::vector<Card> cards = found ? plain(*found) : std::vector<Card>{};
  return observe_adapters(wanted, cards, found.has_value(), diagnostics);
}

Map adapter_inventory(const NodeFacts& facts) {
  return {
      {"cards", cards_value(facts)},
      {"nics", list_of<parse_esxcli_nic_list>(facts, "esxi-nics", "nics")},
      {"rdma_devices", list_of<parse_esxcli_rdma_list>(facts, "esxi-rdma", "rdma_devices")}};
}

}  // namespace

// "adapter": checks that the card of the document exists and is as described. Lists NICs, RDMA
// devices and cards.
Provider adapter_provider() {
  return {
      .kind = kinds::kAdapter,
      .probes = probes_of_adapter,
      .observe = observe_adapter,
      .inventory = adapter_inventory,
      .disruption = always(Disruption::none),
      .work = no_change,
  };
}

}  // namespace fabric::providers::esxi
