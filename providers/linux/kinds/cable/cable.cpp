// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/machine/link_probes.hpp"
#include "providers/posix/machine/link_state.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kCarrier = "carrier";

const NetDevice* device_of(const AdapterPort& port, const std::vector<NetDevice>& devices) {
  const auto device = std::find_if(devices.begin(), devices.end(), [&port](const NetDevice& each) {
    return !each.name.empty() && each.name == port.netdev;
  });
  return device == devices.end() ? nullptr : &*device;
}

Reading carrier_of(const NetDevice* device) {
  if (device == nullptr) return Reading::unknown("the port has no network device");
  if (device->carrier) return Reading::of(*device->carrier);
  if (device->operstate == "down") return Reading::of(false);
  return Reading::unknown("whether it has a carrier could not be read");
}

std::vector<Probe> probes_of_cable() {
  return {pci_probe(), platform::link_state_probe()};
}

std::vector<Observation> observe_cable(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  const std::vector<Card>& cards = inventory_of(facts);
  const std::vector<NetDevice>& devices = platform::devices_of(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const FoundPort found = find_port(cards, resource.binding);
    const NetDevice* device = found.port == nullptr ? nullptr : device_of(*found.port, devices);
    observation.attributes[kCarrier].running =
        found.port == nullptr ? Reading::unknown(found.why) : carrier_of(device);
    if (device != nullptr && !device->carrier && device->operstate == "down")
      observation.attributes[std::string{keys::kInterfaceIsDown}].running = Reading::of(true);
  });
}

Result<Work> work_on_cable(const Change& change, const WorkContext& /*context*/) {
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

}  // namespace

// "cable": whether a port sees the other end of its cable; a person plugs it in. The running
// attribute `carrier`: true if the kernel sees one; false also while the interface is down, when
// the kernel can't tell (sysfs-class-net: reading `carrier` then fails).
Provider cable_provider(std::string_view kind) {
  return {
      .kind = kind,
      .probes = probes_of_cable,
      .observe = observe_cable,
      .disruption = always(Disruption::none),
      // One action by hand, binding.instruction, with the deadline binding.wait_ms.
      .work = work_on_cable,
  };
}

}  // namespace fabric::providers
