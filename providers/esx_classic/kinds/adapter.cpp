// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "providers/cards/find_card.hpp"
#include "providers/cards/observe_cards.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx_classic/kinds/host.hpp"
#include "providers/esx_classic/kinds/rows.hpp"

namespace fabric::providers::esx_classic {

namespace {

std::vector<Observation> observe_adapter(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const Result<std::vector<Card>> found = cards_of(facts);
  const std::vector<Card> cards = found ? *found : std::vector<Card>{};
  std::vector<Resource> bound;
  for (const Resource& resource : wanted)
    bound.push_back(bound_by_what_is_known(resource, cards));
  return observe_adapters(bound, cards, found.has_value(), diagnostics);
}

Map adapter_inventory(const NodeFacts& facts) {
  Map map;
  const Result<std::vector<Card>> cards = cards_of(facts);
  if (!cards) {
    map.emplace("cards", esxi::unknown(cards.error()));
  } else {
    List list;
    for (const Card& card : *cards) {
      Map each{{"pci", card.address.str()}, {"device_id", fmt::format("{:04x}", card.device_id)}};
      if (card.ports.front().node_guid)
        each.emplace("node_guid", card.ports.front().node_guid->str());
      list.emplace_back(std::move(each));
    }
    map.emplace("cards", std::move(list));
  }
  const Result<std::vector<EsxcfgNic>> nics = nics_of(facts);
  map.emplace("nics", nics ? *to_value(*nics).find("nics") : esxi::unknown(nics.error()));
  return map;
}

std::map<std::string, std::string, std::less<>> adapter_port_guids(
    const Resource& resource, const NodeFacts& facts) {
  std::map<std::string, std::string, std::less<>> guids;
  const Result<std::vector<Card>> cards = cards_of(facts);
  if (!cards) return guids;
  const FoundCard found = find_card(*cards, bound_by_what_is_known(resource, *cards).binding);
  if (found.card == nullptr) return guids;
  for (const AdapterPort& port : found.card->ports) {
    if (!port.port_guid) continue;
    guids.emplace(
        fmt::format("{}/{}/{}", facts.node.str(), resource.address.name, port.number),
        port.port_guid->str());
  }
  return guids;
}

}  // namespace

// Checks that the card of the document exists; lists cards and NICs.
Provider adapter_provider() {
  return {
      .kind = kinds::kAdapter,
      .probes = card_probes,
      .observe = observe_adapter,
      .inventory = adapter_inventory,
      .port_guids = adapter_port_guids,
      .disruption = always(Disruption::none),
      .work = esxi::no_change,
  };
}

}  // namespace fabric::providers::esx_classic
