#include "providers/linux/cable/cable.hpp"

#include <algorithm>

#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/link_state.hpp"
#include "providers/linux/adapter/find_card.hpp"
#include "providers/linux/adapter/inventory.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kCarrier = "carrier";

Reading carrier_of(
    const Resource& resource,
    const std::vector<Card>& cards,
    const std::vector<NetDevice>& devices) {
  const FoundPort found = find_port(cards, resource.binding);
  if (found.port == nullptr) return Reading::unknown(found.why);
  const auto device = std::find_if(devices.begin(), devices.end(), [&found](const NetDevice& each) {
    return !each.name.empty() && each.name == found.port->netdev;
  });
  if (device == devices.end()) return Reading::unknown("the port has no network device");
  if (device->carrier) return Reading::of(*device->carrier);
  if (device->operstate == "down") return Reading::of(false);
  return Reading::unknown("whether it has a carrier could not be read");
}

}  // namespace

std::vector<Probe> CableProvider::probes() const {
  return {pci_probe(), link_state_probe()};
}

std::vector<Observation> CableProvider::observe(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) const {
  const std::vector<Card> cards = inventory_of(facts);
  const std::string* links = facts.output(link_state_probe().id);
  const std::vector<NetDevice> devices =
      links == nullptr ? std::vector<NetDevice>{} : parse_link_state(*links);
  std::vector<Observation> observations;
  for (const Resource& resource : wanted) {
    Observation& observation = observations.emplace_back(Observation{resource.address, {}});
    observation.attributes[kCarrier].running = carrier_of(resource, cards, devices);
  }
  return observations;
}

Disruption CableProvider::disruption(
    const NodeFacts& /*facts*/,
    const Resource& /*resource*/,
    std::string_view /*attribute*/) const {
  return Disruption::none;
}

Result<Work> CableProvider::work(const Change& change, const WorkContext& /*context*/) const {
  const Value binding{change.resource.binding};
  const Value* wait = binding.find(keys::kWaitMs);
  const std::int64_t* milliseconds = wait == nullptr ? nullptr : wait->as_integer();
  ActionDraft draft;
  draft.kind = methods::kManual;
  draft.by_hand = binding.string_or_empty(keys::kInstruction);
  draft.title = draft.by_hand;
  draft.stage = Stage::activate;
  if (milliseconds != nullptr) draft.timeout = Duration{*milliseconds};
  draft.postconditions = {{change.resource.address, kCarrier, Layer::running, true}};
  draft.irreversible = "a person does it";
  return Work{{std::move(draft)}};
}

}  // namespace fabric::providers
